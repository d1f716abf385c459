import {
  TransactionExpiredError,
  TransactionFailedError,
} from '../../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { TransactionRefusedError } from '../../casper/transaction/putTransaction.ts'
import type { WattfeedError } from '../../errors.ts'
import { type PendingTransaction, pendingFeedIds } from './pendingTransaction.ts'

/** What became of a transaction. */
export interface SettledTransaction {
  /** 64 hex digits. */
  readonly transactionHash: string
  readonly feedIds: readonly string[]
  /** `failed`: executed, and all of its payment lost. `expired` and `refused`: never executed, nothing charged. */
  readonly outcome: 'executed' | 'failed' | 'expired' | 'refused'
  /** What it cost; null where it was never executed. */
  readonly chargedMotes: bigint | null
  /** The node's words, or null where it succeeded. */
  readonly errorMessage: string | null
}

/** What became of a transaction, and where it stands; one of `executed` and `error` is null. */
export type Settlement =
  | { settled: SettledTransaction; executed: ExecutedTransaction; error: null }
  | { settled: SettledTransaction; executed: null; error: WattfeedError }

/** The settlement of a transaction that was executed and succeeded. */
export const executedSettlement = (
  pending: PendingTransaction,
  executed: ExecutedTransaction,
): Settlement => ({
  settled: {
    ...namesOf(pending),
    outcome: 'executed',
    chargedMotes: executed.chargedMotes,
    errorMessage: null,
  },
  executed,
  error: null,
})

/** The settlement that an error tells of, or null where it leaves open what becomes of the transaction. */
export function failedSettlement(pending: PendingTransaction, error: unknown): Settlement | null {
  const names = namesOf(pending)
  if (error instanceof TransactionFailedError) {
    const { chargedMotes, errorMessage } = error.executed
    return { settled: { ...names, outcome: 'failed', chargedMotes, errorMessage }, executed: null, error }
  }
  if (error instanceof TransactionExpiredError)
    return { settled: unexecuted(names, 'expired', error.message), executed: null, error }
  if (error instanceof TransactionRefusedError)
    return { settled: unexecuted(names, 'refused', error.nodeMessage), executed: null, error }
  return null
}

type Names = Pick<SettledTransaction, 'transactionHash' | 'feedIds'>

const namesOf = (pending: PendingTransaction): Names => ({
  transactionHash: pending.transaction_hash,
  feedIds: pendingFeedIds(pending),
})

const unexecuted = (
  names: Names,
  outcome: SettledTransaction['outcome'],
  errorMessage: string,
): SettledTransaction => ({ ...names, outcome, chargedMotes: null, errorMessage })
