/** Adds an entry to a map as its newest one. Above `maxSize` entries, drops the oldest. */
export function addNewest<K, V>(map: Map<K, V>, key: K, value: V, maxSize: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > maxSize && oldest !== undefined) map.delete(oldest)
}
