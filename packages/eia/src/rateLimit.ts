import type { Wait } from './throttle.ts'

/**
 * Spaces requests evenly. The returned function resolves when the next request may be sent, in call order.
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
