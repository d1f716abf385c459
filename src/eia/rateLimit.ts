/** Waits; an abort of the signal ends it with a rejection. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

/**
 * Spaces requests evenly: a function that resolves when the next one may be sent, to each in its turn.
 *
 * @param options.now - epoch milliseconds
 */
export function createRateLimit(options: {
  requestsPerSecond: number
  now: () => number
  wait: Wait
}): (signal?: AbortSignal) => Promise<void> {
  const { now, wait } = options
  const spacingMs = 1000 / options.requestsPerSecond
  let freeAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const turn = Math.max(freeAt, now())
    freeAt = turn + spacingMs
    const delayMs = turn - now()
    if (delayMs > 0) await wait(delayMs, signal)
  }
}
