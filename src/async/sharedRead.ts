export interface SharedReadOptions {
  /** After how long the next read begins although the last one is still under way, in milliseconds. */
  overlapMs: number
  /** How many reads may be under way at once. */
  most: number
}

/**
 * Lets any number of callers share reads, none of which began before its caller asked: whoever calls while a read
 * is under way waits for the next one, together with everybody else who does. That one begins when the first ends,
 * or after `overlapMs` where the first takes longer, so that nobody waits for two slow reads.
 *
 * @example
 * ```ts
 * const refresh = createSharedRead(() => getStateRootHash(rpc), { overlapMs: 10, most: 16 })
 * await Promise.all([refresh(), refresh(), refresh()]) // one call
 * ```
 */
export function createSharedRead<T>(
  read: () => Promise<T>,
  { overlapMs, most }: SharedReadOptions,
): () => Promise<T> {
  const underWay = new Set<Promise<void>>()
  let mayBegin: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null

  function begin(): Promise<T> {
    next = null
    const reading = read()
    const settled = reading.then(
      () => {},
      () => {},
    )
    underWay.add(settled)
    settled.then(() => underWay.delete(settled))
    mayBegin = underWay.size < most ? settledOrAfter(settled, overlapMs) : Promise.race(underWay)
    return reading
  }

  return () => {
    next ??= mayBegin.then(macrotask).then(begin)
    return next
  }
}

function settledOrAfter(settled: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    settled.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Requests that arrived in one turn of the event loop share a read, at the price of one more turn. */
function macrotask(): Promise<void> | undefined {
  if (typeof setImmediate !== 'function') return undefined
  return new Promise((resolve) => setImmediate(resolve))
}
