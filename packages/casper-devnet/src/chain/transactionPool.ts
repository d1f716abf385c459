import {
  isExpired,
  limitOf,
  type Transaction,
  type TransactionVersion,
  transactionId,
} from '../transaction/transaction.ts'
import { findLane, type Lane, type TransactionRules } from '../transaction/transactionRules.ts'

/** An accepted transaction for the next block. */
export interface PendingTransaction {
  transaction: Transaction
  lane: Lane
}

/** Accepted transactions in order of arrival. */
export interface TransactionPool {
  add(transaction: Transaction): void
  get(version: TransactionVersion, hash: string): Transaction | null
  /** Removes and returns the transactions that expire before a block. */
  expire(blockTimeMs: number): Transaction[]
  /** Returns the transactions that fit into a block, without removing them. */
  select(rules: TransactionRules): PendingTransaction[]
  remove(transactions: readonly Transaction[]): void
  fork(): TransactionPool
}

export function createTransactionPool(pending = new Map<string, Transaction>()): TransactionPool {
  const remove = (some: readonly Transaction[]): void => {
    for (const { version, hash } of some) pending.delete(transactionId(version, hash))
  }
  return {
    add: (each) => void pending.set(transactionId(each.version, each.hash), each),
    get: (version, hash) => pending.get(transactionId(version, hash)) ?? null,
    expire(blockTimeMs) {
      const expired = [...pending.values()].filter((each) => isExpired(each, blockTimeMs))
      remove(expired)
      return expired
    },
    select: (rules) => fitting(pending.values(), rules),
    remove,
    fork: () => createTransactionPool(new Map(pending)),
  }
}

/**
 * Returns those that fit into a block. One that does not fit leaves its room to later ones. An upgrade may have changed
 * the lanes since a transaction was accepted.
 */
function fitting(pending: Iterable<Transaction>, rules: TransactionRules): PendingTransaction[] {
  const counts = new Map<number, number>()
  let gasLeft = rules.blockGasLimit
  const chosen: PendingTransaction[] = []
  for (const transaction of pending) {
    const lane = findLane(transaction, rules)
    const gas = limitOf(transaction)
    const count = counts.get(lane?.id ?? 0) ?? 0
    if (lane === null || count >= lane.maxTransactionsPerBlock || gas > gasLeft) continue
    counts.set(lane.id, count + 1)
    gasLeft -= gas
    chosen.push({ transaction, lane })
  }
  return chosen
}
