import type { Claim, Pending, TransactionStore } from '../../src/transaction/transactionStore.ts'

/** Keeps pending transactions in memory, for one process without keys. Reserves nothing. */
export interface MemoryStore extends TransactionStore {
  /** The oldest one. */
  kept(): Pending | null
  /** Adds a transaction of an earlier run. */
  put(pending: Pending): void
  /** Forgets who follows what, as a new process does. */
  restart(): void
}

export function createMemoryStore(): MemoryStore {
  const all = new Map<string, Pending>()
  const claims = new Map<Claim, string | null>()
  const claim = (keys: readonly string[]): Claim => ({ id: crypto.randomUUID(), keys })
  return {
    kept: () => all.values().next().value ?? null,
    put: (pending) => void all.set(pending.transaction_hash, pending),
    restart: () => claims.clear(),
    list: () => [...all.values()],
    claim(keys) {
      const claimed = claim(keys)
      claims.set(claimed, null)
      return claimed
    },
    reserve: () => {},
    write(claimed, pending) {
      claims.set(claimed, pending.transaction_hash)
      all.set(pending.transaction_hash, pending)
    },
    settle: (_, { transaction_hash }) => void all.delete(transaction_hash),
    release: (claimed) => void claims.delete(claimed),
    adopt: () =>
      [...all.values()]
        .filter(({ transaction_hash }) => ![...claims.values()].includes(transaction_hash))
        .map((pending) => {
          const claimed = claim([])
          claims.set(claimed, pending.transaction_hash)
          return { claim: claimed, pending }
        }),
  }
}
