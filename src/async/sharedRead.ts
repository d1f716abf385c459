import { nextTask } from './nextTask.ts'

export interface SharedReadOptions {
  /** How long the next read waits for the one in flight before it starts anyway, in milliseconds. */
  overlapMs: number
  /** Maximum number of reads in flight. */
  concurrency: number
}

/**
 * Returns a function whose callers share reads, but never one that started before they called: calls made during a
 * read share the next one. That starts when the first ends, or after `overlapMs`, so nobody waits for two slow reads.
 *
 * @example
 * ```ts
 * const refresh = createSharedRead(() => getStateRootHash(rpc), { overlapMs: 10, concurrency: 16 })
 * await Promise.all([refresh(), refresh(), refresh()]) // one call
 * ```
 */
export function createSharedRead<T>(
  read: () => Promise<T>,
  { overlapMs, concurrency }: SharedReadOptions,
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
    mayBegin = underWay.size < concurrency ? settledOrAfter(settled, overlapMs) : Promise.race(underWay)
    return reading
  }

  return () => {
    // Calls of the same turn of the event loop share a read. The second turn takes in what arrived while the last read's callers were answered in the first.
    next ??= mayBegin.then(nextTask).then(nextTask).then(begin)
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
