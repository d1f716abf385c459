// A file boots few kinds of chains, and old ones would only take memory.
const MAX_BOOTED = 8

/**
 * Returns what was booted under a key before, or boots it: a chain with contracts takes a fifth of a second, and a fork of it
 * a millisecond. What is returned is shared, so fork it and leave it as it is.
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
