import type { Lane } from '../transaction/lane.ts'
import type { Transaction, TransactionVersion } from '../transaction/transaction.ts'

/** A transaction that was accepted and is in no block yet. */
export interface PendingTransaction {
  transaction: Transaction
  lane: Lane
}

/** Accepted transactions in the order in which they came. */
export interface TransactionPool {
  add(pending: PendingTransaction): void
  get(version: TransactionVersion, hash: string): Transaction | null
  /** Takes out what a block has room for; what expired before its time is given up. */
  take(blockTimeMs: number, blockGasLimit: bigint): PendingTransaction[]
}

export function createTransactionPool(): TransactionPool {
  const pending = new Map<string, PendingTransaction>()
  return {
    add: (each) => void pending.set(idOf(each.transaction.version, each.transaction.hash), each),
    get: (version, hash) => pending.get(idOf(version, hash))?.transaction ?? null,
    take(blockTimeMs, blockGasLimit) {
      const room = createRoom(blockGasLimit)
      const taken: PendingTransaction[] = []
      for (const [id, each] of pending) {
        const isExpired = each.transaction.timestampMs + each.transaction.ttlMs < blockTimeMs
        if (!isExpired && !room.take(each)) continue
        pending.delete(id)
        if (!isExpired) taken.push(each)
      }
      return taken
    },
  }
}

const idOf = (version: TransactionVersion, hash: string): string => `${version} ${hash}`

/** What is left of a block: so many transactions in each lane, so much gas in all. */
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
