/** Creates a function that makes the value of each object once, for as long as the object lives. */
export function createObjectMemo<K extends object, T extends object | string>(
  make: (key: K) => T,
): (key: K) => T {
  const known = new WeakMap<K, T>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key)
    known.set(key, made)
    return made
  }
}

/**
 * Creates a function that makes the value of each text once. It forgets all of them when there are more than `max`, since
 * the texts are callers'.
 */
export function createTextMemo<T extends object | string>(max: number): (key: string, make: () => T) => T {
  const known = new Map<string, T>()
  return (key, make) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make()
    if (known.size >= max) known.clear()
    known.set(key, made)
    return made
  }
}
