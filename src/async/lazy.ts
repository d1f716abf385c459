/**
 * Returns a function that loads something on its first call and returns the same promise on every call.
 *
 * @example
 * ```ts
 * const style = lazy(() => readFile('style.css', 'utf8'))
 * await style()
 * ```
 */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null
  return () => {
    loaded ??= load()
    return loaded
  }
}
