import { ArgumentError, countArgumentBytes } from '../../casper/types/arguments.ts'
import { attestManyArguments, type NewAttestation } from '../../registry/calls.ts'
import { type BatchOptions, estimateGas, MAX_BATCH, paymentOf } from './attestCall.ts'

/** Maximum size of arguments, in bytes, in the lane with room for 80 transactions a block. */
const MAX_BATCH_ARGUMENT_BYTES = 512

// A call that runs out of gas loses its whole payment.
const MAX_PERCENT_OF_PAYMENT = 90n

/**
 * Groups attestations into transactions, in order. One `attest_many` takes as many as fit its arguments and 90 % of its
 * payment, at most {@link MAX_BATCH}. Without `attest_many`, each has its own transaction.
 *
 * An attestation that is too large or cannot be encoded gets its own transaction, so that no other one fails with it.
 */
export function batchAttestations<T extends NewAttestation>(
  attestations: readonly T[],
  options: BatchOptions,
): T[][] {
  const batches: T[][] = []
  for (const each of attestations) {
    const last = batches.at(-1)
    if (last !== undefined && fitsBatch([...last, each], options)) last.push(each)
    else batches.push([each])
  }
  return batches
}

/** Whether attestations fit one `attest_many`, with the margin of {@link batchAttestations}. */
export function fitsBatch(
  batch: readonly NewAttestation[],
  { offersMany, paymentMotes }: BatchOptions,
): boolean {
  if (!offersMany || batch.length > MAX_BATCH) return false
  try {
    return (
      countArgumentBytes(attestManyArguments(batch)) <= MAX_BATCH_ARGUMENT_BYTES &&
      estimateGas(batch, true) * 100n <= paymentOf(batch.length, paymentMotes) * MAX_PERCENT_OF_PAYMENT
    )
  } catch (error) {
    if (error instanceof ArgumentError) return false
    throw error
  }
}
