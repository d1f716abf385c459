import { cacheRead } from '@wattfeed/base'
import { LRUCache } from 'lru-cache'

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

/** Number of variants of an object that are cached. */
const MAX_VARIANTS = 32

const createVariants = <K extends object, T extends object>(max = MAX_VARIANTS) =>
  createObjectMemo((_: K) => new LRUCache<string, T>({ max }))

/** As {@link createObjectMemo}, for a value that also depends on options. Each object has a cache of recent options. */
export function createVariantMemo<K extends object, Options extends object, T extends object>(
  make: (key: K, options: Options) => T,
): (key: K, options: Options) => T {
  const variantsOf = createVariants<K, T>()
  return (key, options) => {
    const variants = variantsOf(key)
    const name = JSON.stringify(options)
    const made = variants.get(name) ?? make(key, options)
    variants.set(name, made)
    return made
  }
}

/** As {@link createVariantMemo}, for values that are made asynchronously. Concurrent calls share one value; a failure is not cached. */
export function createVariantCache<K extends object, T extends object>(max = MAX_VARIANTS) {
  const variantsOf = createVariants<K, Promise<T>>(max)
  return (key: K, options: object, make: () => Promise<T>): Promise<T> =>
    cacheRead(variantsOf(key), JSON.stringify(options), make)
}
