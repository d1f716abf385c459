// A test file boots few kinds of chains, and old ones only take memory.
const MAX_BOOTED = 8

/**
 * Returns the chain booted under this key, or boots it. Booting a chain with contracts takes a fifth of a second, forking
 * it a millisecond. The chain is shared, so fork it and do not change it.
 */
export function createBootOnce<T>(): (key: string, boot: () => Promise<T>) => Promise<T> {
  const booted = new Map<string, Promise<T>>()
  return (key, boot) => {
    const known = booted.get(key) ?? boot()
    booted.delete(key)
    booted.set(key, known)
    if (booted.size > MAX_BOOTED) booted.delete(booted.keys().next().value ?? '')
    return known
  }
}
