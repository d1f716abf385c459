/** Number of values whose elements make about 50 MB of garbage. */
const COLLECT_EVERY = 5_000

/**
 * Creates a function to call for each value, which collects garbage from time to time. Otherwise garbage takes several times
 * the memory of the data.
 */
export function createGarbageCollector(): () => void {
  let values = 0
  return () => {
    if (++values % COLLECT_EVERY === 0) Bun.gc(true)
  }
}
