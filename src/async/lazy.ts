/**
 * Returns a function that loads something at its first call, and returns the same promise from then on.
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
