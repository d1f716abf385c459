import type { Transaction, TransactionVersion } from '../transaction/transaction.ts'
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
    for (const { transaction } of some) pending.delete(idOf(transaction.version, transaction.hash))
  }
  return {
    add: (each) => void pending.set(idOf(each.transaction.version, each.transaction.hash), each),
    get: (version, hash) => pending.get(idOf(version, hash))?.transaction ?? null,
    select(blockTimeMs, blockGasLimit) {
      const all = [...pending.values()]
      remove(all.filter(({ transaction }) => transaction.timestampMs + transaction.ttlMs < blockTimeMs))
      const room = createRoom(blockGasLimit)
      return [...pending.values()].filter(room.take)
    },
    remove,
  }
}

const idOf = (version: TransactionVersion, hash: string): string => `${version} ${hash}`

/** Tracks the remaining capacity of a block: transactions per lane and total gas. */
function createRoom(blockGasLimit: bigint) {
  const used = new Map<number, number>()
  let gasLeft = blockGasLimit
  return {
    take({ transaction: { pricing }, lane }: PendingTransaction): boolean {
      const gas = pricing.kind === 'paymentLimited' ? pricing.paymentMotes : 0n
      const count = used.get(lane.id) ?? 0
      if (count >= lane.maxTransactionsPerBlock || gas > gasLeft) return false
      used.set(lane.id, count + 1)
      gasLeft -= gas
      return true
    },
  }
}
