const stored = new Map<string, string>()

/**
 * Records which transaction a file of this process holds, or null for none: what a signal ends says which may be on
 * their way.
 */
export function recordStored(path: string, transactionHash: string | null): void {
  if (transactionHash === null) stored.delete(path)
  else stored.set(path, transactionHash)
}

/** Lists the transactions that are stored and not settled, with their files. */
export const listStored = (): { path: string; transactionHash: string }[] =>
  [...stored].map(([path, transactionHash]) => ({ path, transactionHash }))
