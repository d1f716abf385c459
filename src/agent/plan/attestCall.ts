import { defineError } from '@wattfeed/base'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import {
  ArgumentError,
  type Arguments,
  countArgumentBytes,
  encodeBigUint,
  encodeText,
} from '@wattfeed/casper/types'
import { attestArguments, attestManyArguments, type NewAttestation } from 'wattfeed/internal'

/** A call may consume more gas than it pays for, and would lose its whole payment. It was not sent. */
const PaymentError = defineError(
  'PaymentError',
  'payment',
  (facts: {
    /** Upper bound of the gas that the call consumes, in motes. */
    gasMotes: bigint
    paymentMotes: bigint
  }) =>
    `the call may consume ${facts.gasMotes} motes, but the payment is ${facts.paymentMotes}; raise PAYMENT_MOTES or shorten the feed id`,
)

/** Maximum number of attestations in one transaction. */
export const MAX_BATCH = 5

/** How many values one transaction may attest, and for which payment. */
export interface BatchOptions {
  /** Whether the deployed AttestationRegistry has `attest_many`. */
  offersMany: boolean
  /** `PAYMENT_MOTES`; null if it is not set. */
  paymentMotes: bigint | null
}

export interface AttestCall {
  entryPoint: 'attest' | 'attest_many'
  args: Arguments
  paymentMotes: bigint
}

/**
 * Creates the call of 1 to 5 attestations: `attest` for one, `attest_many` for more.
 *
 * @throws {ArgumentError} if they cannot be encoded or are too many for one call.
 * @throws {PaymentError}
 */
export function createAttestCall(
  attestations: readonly NewAttestation[],
  { offersMany, paymentMotes }: BatchOptions,
): AttestCall {
  const [first] = attestations
  if (first === undefined || attestations.length > (offersMany ? MAX_BATCH : 1))
    throw new ArgumentError({ rule: offersMany ? `1 to ${MAX_BATCH} attestations` : 'one attestation' })
  const payment = paymentOf(attestations.length, paymentMotes)
  const gasMotes = estimateGas(attestations, offersMany)
  if (gasMotes > payment) throw new PaymentError({ gasMotes, paymentMotes: payment })
  return attestations.length === 1
    ? { entryPoint: 'attest', args: attestArguments(first), paymentMotes: payment }
    : { entryPoint: 'attest_many', args: attestManyArguments(attestations), paymentMotes: payment }
}

/** The payment of `attest`: the network's minimum. */
export const ATTEST_PAYMENT_MOTES = MIN_PAYMENT_MOTES

/** The payment of `attest_many`: the maximum of the lane with the most transactions in a block. */
export const ATTEST_MANY_PAYMENT_MOTES = 5_000_000_000n

/** Returns the payment of a transaction by its number of attestations, in motes; `override` is `PAYMENT_MOTES`. */
export const paymentOf = (count: number, override: bigint | null): bigint =>
  override ?? (count === 1 ? ATTEST_PAYMENT_MOTES : ATTEST_MANY_PAYMENT_MOTES)

/**
 * Upper bounds of an attestation's gas, in motes, from measurements of the built wasm on the node's execution engine
 * (`contracts/test gas`).
 *
 * With an id of 23 bytes, an amount of 4 and a hash of 32, one attestation costs 1.13 CSPR, four cost 3.93 and five
 * 4.77. Five feeds from before claims existed cost 5.04, because each needs two more reads for its claimant.
 *
 * Each stored byte costs 1,117,587 motes. An id is stored once (event), amount and hash three times (newest value, history,
 * event).
 */
interface GasBounds {
  callMotes: bigint
  attestationMotes: bigint
  idByteMotes: bigint
  amountByteMotes: bigint
  hashByteMotes: bigint
}

/** The contract that offers `attest_many`. */
const batchingContract: GasBounds = {
  callMotes: 200_000_000n,
  attestationMotes: 785_000_000n,
  idByteMotes: 1_800_000n,
  amountByteMotes: 3_700_000n,
  hashByteMotes: 3_600_000n,
}

/** The earlier contract, which calls the FeedRegistry. One attestation costs 1.49 CSPR with the same texts. */
const oldContract: GasBounds = {
  callMotes: 0n,
  attestationMotes: 1_291_000_000n,
  idByteMotes: 2_250_000n,
  amountByteMotes: 4_000_000n,
  hashByteMotes: 4_000_000n,
}

/**
 * Returns an upper bound, in motes, of the gas that a call with these attestations consumes.
 *
 * @throws {ArgumentError} if one of them cannot be encoded.
 */
export function estimateGas(attestations: readonly NewAttestation[], offersMany: boolean): bigint {
  const bounds = offersMany ? batchingContract : oldContract
  return attestations.reduce((sum, each) => sum + estimateOne(each, bounds), bounds.callMotes)
}

/** Returns the maximum charge of a transaction, in motes: its gas, and a quarter of the unused payment. */
export function estimateCharge(
  attestations: readonly NewAttestation[],
  { offersMany, paymentMotes: override }: BatchOptions,
): bigint {
  const gasMotes = estimateGas(attestations, offersMany)
  const payment = paymentOf(attestations.length, override)
  return gasMotes >= payment ? payment : gasMotes + (payment - gasMotes) / 4n
}

function estimateOne({ feed_id, amount, source_hash }: NewAttestation, bounds: GasBounds): bigint {
  const bytes = (encoded: Uint8Array): bigint => BigInt(encoded.length)
  return (
    bounds.attestationMotes +
    bounds.idByteMotes * bytes(encodeText(feed_id)) +
    bounds.amountByteMotes * bytes(encodeBigUint(amount, 64)) +
    bounds.hashByteMotes * bytes(encodeText(source_hash))
  )
}

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

/** Returns whether attestations fit one `attest_many`, with the margin of {@link batchAttestations}. */
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
