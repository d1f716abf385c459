import { nextTask } from './sleep.ts'

/**
 * Returns a function whose callers share reads. A caller never gets a read that started before its call: calls made
 * during a read share the next read. The next read starts when the current one ends or after `overlapMs`, so that no
 * caller waits for two slow reads.
 *
 * @example
 * ```ts
 * const refresh = createSharedRead(() => getStateRootHash(rpc), { overlapMs: 10, concurrency: 16 })
 * await Promise.all([refresh(), refresh(), refresh()]) // one call
 * ```
 */
export function createSharedRead<T>(
  read: () => Promise<T>,
  {
    overlapMs,
    concurrency,
  }: {
    /** Maximum time that the next read waits for the one in flight, in milliseconds. */
    overlapMs: number
    /** Maximum number of reads in flight. */
    concurrency: number
  },
): () => Promise<T> {
  const inFlight = new Set<Promise<void>>()
  let mayStart: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null

  function start(): Promise<T> {
    next = null
    const reading = read()
    const settled = reading.then(
      () => {},
      () => {},
    )
    inFlight.add(settled)
    settled.then(() => inFlight.delete(settled))
    mayStart = inFlight.size < concurrency ? settledOrAfter(settled, overlapMs) : Promise.race(inFlight)
    return reading
  }

  return () => {
    // Calls in the same turn of the event loop share a read. In the first turn, callers of the last read resume. The
    // second turn includes the calls that arrive meanwhile.
    next ??= mayStart.then(nextTask).then(nextTask).then(start)
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
