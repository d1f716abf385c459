import { defineError } from '@wattfeed/base'
import type { ExecutedTransaction } from './getTransaction.ts'
import type { TransactionRefusedError } from './transactionRefused.ts'

/** The outcome of a transaction. */
export type Settlement =
  | { readonly outcome: 'executed'; readonly executed: ExecutedTransaction; readonly error: null }
  /** Executed without success: the whole payment is lost. */
  | {
      readonly outcome: 'failed'
      readonly executed: ExecutedTransaction
      readonly error: TransactionFailedError
    }
  /** Never executed, and never will be: nothing was charged. */
  | { readonly outcome: 'expired'; readonly executed: null; readonly error: TransactionExpiredError }
  | { readonly outcome: 'refused'; readonly executed: null; readonly error: TransactionRefusedError }
  /** It may still be executed. The error is the cause, or the reason of the abort. */
  | { readonly outcome: 'unresolved'; readonly executed: null; readonly error: unknown }

/** The outcome of a settled transaction. */
export type Settled = Exclude<Settlement, { outcome: 'unresolved' }>

/** Returns whether a transaction is settled. Only then may its bytes be discarded or replaced. */
export const isSettled = (settlement: Settlement): settlement is Settled =>
  settlement.outcome !== 'unresolved'

/** Returns the execution of a transaction that succeeded. @throws the error of any other settlement. */
export function assertExecuted(settlement: Settlement): ExecutedTransaction {
  if (settlement.outcome === 'executed') return settlement.executed
  throw settlement.error
}

/** A transaction was executed and failed: its whole payment is lost. */
export const TransactionFailedError = defineError(
  'TransactionFailedError',
  'transaction_failed',
  (facts: { executed: ExecutedTransaction }) => {
    const { transactionHash, errorMessage, blockHeight, chargedMotes } = facts.executed
    return `transaction ${transactionHash} failed in block ${blockHeight}: ${errorMessage}; ${chargedMotes} motes were charged. Find the cause before you send it again`
  },
)
export type TransactionFailedError = InstanceType<typeof TransactionFailedError>

/** The transaction expired before any block included it. Nothing was charged. */
export const TransactionExpiredError = defineError(
  'TransactionExpiredError',
  'transaction_expired',
  (facts: { transactionHash: string }) =>
    `transaction ${facts.transactionHash} expired without being executed; nothing was charged. Send it again`,
  { retryable: true },
)
export type TransactionExpiredError = InstanceType<typeof TransactionExpiredError>

/** A transaction's outcome is unknown, so it must not be replaced by another one. */
export const TransactionUnresolvedError = defineError(
  'TransactionUnresolvedError',
  'transaction_unresolved',
  (facts: {
    transactionHash: string
    /** The nodes' last failure. */
    lastFailure: string
  }) =>
    `the status of transaction ${facts.transactionHash} is unknown (${facts.lastFailure}); look it up again later`,
  { retryable: true },
)
