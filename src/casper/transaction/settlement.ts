import type { TransactionExpiredError, TransactionFailedError } from './followTransaction.ts'
import type { ExecutedTransaction } from './getTransaction.ts'
import type { TransactionRefusedError } from './putTransaction.ts'

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

/** Whether a transaction is settled. Only then may its bytes be discarded or replaced. */
export const isSettled = (settlement: Settlement): settlement is Settled =>
  settlement.outcome !== 'unresolved'

/** Returns the execution of a transaction that succeeded. @throws the error of any other settlement. */
export function assertExecuted(settlement: Settlement): ExecutedTransaction {
  if (settlement.outcome === 'executed') return settlement.executed
  throw settlement.error
}
