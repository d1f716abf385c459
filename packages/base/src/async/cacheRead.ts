/** A map of reads: a `Map`, a `WeakMap`, or a cache with a limit. */
export interface ReadCache<Key, T> {
  get(key: Key): Promise<T> | undefined
  set(key: Key, read: Promise<T>): unknown
  delete(key: Key): unknown
}

/**
 * Returns the cached read of a key. Without one, it starts a read and caches it, so that concurrent callers share it. A failed read is
 * removed: the next caller reads again.
 *
 * @example
 * ```ts
 * const feeds = new Map<string, Promise<Feed | null>>()
 * const getFeed = (id: string) => cacheRead(feeds, id, () => reads.getFeed(id))
 * ```
 */
export function cacheRead<Key, T>(cache: ReadCache<Key, T>, key: Key, read: () => Promise<T>): Promise<T> {
  const known = cache.get(key)
  if (known !== undefined) return known
  const started = read()
  cache.set(key, started)
  started.catch(() => {
    // It may have been removed, and read again.
    if (cache.get(key) === started) cache.delete(key)
  })
  return started
}
