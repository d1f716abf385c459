import { getTransaction, readBlockTimes, TransactionFailedError } from '@wattfeed/casper/transaction'
import type { Sent } from '../payAll.ts'
import { PreflightError } from '../preflight.ts'
import type { StepPurpose, WrittenStep } from './deploymentFile.ts'
import { type Operation, save } from './operation.ts'
import { recordStep } from './recordStep.ts'
import { describeStep } from './step.ts'

/**
 * Records the outcome of a transaction that an earlier run has written to a file; null if there is none, or it expired.
 *
 * @throws {PreflightError} while it can still be executed; {@link TransactionFailedError}
 */
export async function settleWritten(operation: Operation): Promise<Sent | null> {
  const { written } = operation.deployment
  if (!written) return null
  // The times are read first, so that the node that answers next knows what was executed until then.
  const times = await readBlockTimes(operation.rpc)
  const found = await getTransaction(operation.rpc, written.transaction_hash)
  if (found.state !== 'executed') {
    if (!isPast(times, written.expires_at)) throw stillOpen(written)
    await save(operation, { written: null })
    return null
  }
  const sent = {
    ...written,
    purpose: { kind: 'step', step: written.step, wasm_sha256: written.wasm_sha256 } satisfies StepPurpose,
  }
  const { executed } = found
  const error = executed.errorMessage === null ? null : new TransactionFailedError({ executed })
  await recordStep(operation, { executed, error }, sent)
  await save(operation, { written: null })
  if (error !== null) throw error
  return { state: 'executed', pending: sent, executed }
}

/** Returns whether all nodes that answered have blocks after a time. */
const isPast = (blockTimes: readonly number[], epochMs: number): boolean =>
  blockTimes.length > 0 && Math.min(...blockTimes) > epochMs

const stillOpen = ({ step, transaction_hash, file, expires_at }: WrittenStep): PreflightError =>
  new PreflightError({
    reason: 'written',
    message: `${file} has the transaction ${transaction_hash} (${describeStep(step)}), which can be executed until ${new Date(expires_at).toISOString()}; sign and send it, or wait until then, and run this again`,
  })
