import type { Pending, PendingStore, Purpose } from '../../../src/casper/transaction/pendingStore.ts'

/** Keeps pending transactions in memory. */
export interface MemoryStore<P extends Purpose> extends PendingStore<P> {
  /** The oldest one. */
  kept(): Pending<P> | null
}

export function createMemoryStore<P extends Purpose>(): MemoryStore<P> {
  const all = new Map<string, Pending<P>>()
  return {
    kept: () => all.values().next().value ?? null,
    list: async () => [...all.values()],
    write: async (pending) => {
      all.set(pending.transaction_hash, pending)
    },
    remove: async ({ transaction_hash }) => {
      all.delete(transaction_hash)
    },
  }
}
