import type { Pending, PendingStore } from '../../../src/casper/transaction/pendingStore.ts'

/** Keeps one pending transaction in memory. */
export interface MemoryStore<P extends object> extends PendingStore<P> {
  kept(): Pending<P> | null
}

export function createMemoryStore<P extends object>(): MemoryStore<P> {
  let kept: Pending<P> | null = null
  return {
    kept: () => kept,
    list: async () => (kept === null ? [] : [kept]),
    write: async (pending) => {
      kept = pending
    },
    remove: async () => {
      kept = null
    },
  }
}
