import {
  limitOf,
  type Transaction,
  type TransactionVersion,
  transactionId,
} from '../transaction/transaction.ts'
import type { Lane } from '../transaction/transactionRules.ts'

/** An accepted transaction that no block contains yet. */
export interface PendingTransaction {
  transaction: Transaction
  lane: Lane
}

/** Accepted transactions in order of arrival. */
export interface TransactionPool {
  add(pending: PendingTransaction): void
  get(version: TransactionVersion, hash: string): Transaction | null
  /** Returns the transactions that fit into a block, without removing them. Drops those that expire before the block. */
  select(blockTimeMs: number, blockGasLimit: bigint): PendingTransaction[]
  remove(pending: readonly PendingTransaction[]): void
}

export function createTransactionPool(): TransactionPool {
  const pending = new Map<string, PendingTransaction>()
  const remove = (some: readonly PendingTransaction[]): void => {
    for (const { transaction } of some) pending.delete(transactionId(transaction.version, transaction.hash))
  }
  return {
    add: (each) => void pending.set(transactionId(each.transaction.version, each.transaction.hash), each),
    get: (version, hash) => pending.get(transactionId(version, hash))?.transaction ?? null,
    select(blockTimeMs, blockGasLimit) {
      const all = [...pending.values()]
      remove(all.filter(({ transaction }) => transaction.timestampMs + transaction.ttlMs < blockTimeMs))
      return fitting(pending.values(), blockGasLimit)
    },
    remove,
  }
}

/** Returns those that fit into a block. One that does not fit leaves its room to later ones. */
function fitting(pending: Iterable<PendingTransaction>, blockGasLimit: bigint): PendingTransaction[] {
  const counts = new Map<number, number>()
  let gasLeft = blockGasLimit
  const chosen: PendingTransaction[] = []
  for (const each of pending) {
    const { id, maxTransactionsPerBlock } = each.lane
    const gas = limitOf(each.transaction)
    const count = counts.get(id) ?? 0
    if (count >= maxTransactionsPerBlock || gas > gasLeft) continue
    counts.set(id, count + 1)
    gasLeft -= gas
    chosen.push(each)
  }
  return chosen
}
