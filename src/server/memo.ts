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
