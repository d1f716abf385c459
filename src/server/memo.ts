/** Creates a function that computes a value once per object, and caches it as long as the object exists. */
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
