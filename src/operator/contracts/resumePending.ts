import { TransactionRefusedError } from '../../casper/transaction/refusal.ts'
import { TransactionExpiredError } from '../../casper/transaction/transactionErrors.ts'
import type { SettledStep } from './deploymentFile.ts'
import type { Operation } from './operation.ts'
import { settleStep } from './settleStep.ts'

/**
 * Settles what an earlier run left pending: the very same bytes are followed, and sent again where no node knows
 * them. Null where nothing was, or where it expired unexecuted: then the step is still to be done.
 */
export async function resumePending(operation: Operation): Promise<SettledStep | null> {
  const { pending } = operation.deployment
  if (pending === null || operation.isDryRun) return null
  try {
    return await settleStep(operation, pending, { isSentBefore: true })
  } catch (error) {
    if (error instanceof TransactionExpiredError || isRefusedAsExpired(error)) return null
    throw error
  }
}

const isRefusedAsExpired = (error: unknown): boolean =>
  error instanceof TransactionRefusedError && error.reason === 'expired'
