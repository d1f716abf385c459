import { EiaThrottledError } from './eiaErrors.ts'

/** Waits; an abort of the signal ends it with a rejection. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

/** EIA asks to be left alone. */
export interface ThrottledEvent {
  /** Of the request that was refused. */
  route: string
  /** Until when no request is sent, in epoch milliseconds. */
  untilMs: number
  /** How long EIA asks to be left alone, or null where it did not say. */
  retryAfterMs: number | null
}

export interface ThrottleOptions {
  /** Epoch milliseconds. */
  now: () => number
  wait: Wait
  /** Resolves when the rate limit lets the next request go. */
  waitForTurn: (signal?: AbortSignal) => Promise<void>
  /**
   * Where EIA asks for a longer wait than this, or for the third in a row, requests fail until it is over instead of
   * waiting. Infinity: they always wait.
   */
  giveUpAfterMs: number
  /** Told once for each time that all requests are stopped. */
  onThrottled: (event: ThrottledEvent) => void
}

/** What stops all requests of a client together. */
export interface Throttle {
  /** Resolves when a request may be sent. @throws {EiaThrottledError} where EIA asks for a wait that is too long. */
  pass(route: string, signal?: AbortSignal): Promise<void>
  /** Stops all requests for as long as the refusal asks for. Returns whether requests wait for the end of it. */
  stop(refusal: EiaThrottledError): boolean
  /** To be called when EIA has answered: the next stop is the first in a row again. */
  answered(): void
}

/** The longest that EIA is left alone when it asks for it. */
export const MAX_THROTTLE_MS = 60_000
// Each stop uses up a try of one request only, so dozens would take hours to fail one after another.
const MAX_STOPS = 3

/** Stops all requests when one of them is refused, and lets all go on together. */
export function createThrottle(options: ThrottleOptions): Throttle {
  const { now, wait, waitForTurn, giveUpAfterMs, onThrottled } = options
  let current = { untilMs: Number.NEGATIVE_INFINITY, status: 429, isTooLong: false }
  let stopsInARow = 0
  const isStopped = () => now() < current.untilMs

  return {
    async pass(route, signal) {
      let waited: typeof current | null = null
      // Nobody waits twice for the same stop, because a timer may ring early; for a longer one that came meanwhile, they do.
      const mustWait = () => current !== waited && isStopped()
      do {
        while (mustWait()) {
          const { untilMs, status, isTooLong } = current
          const leftMs = untilMs - now()
          if (isTooLong) throw new EiaThrottledError(route, status, leftMs, untilMs)
          waited = current
          await wait(leftMs, signal)
        }
        // Taken after the wait, so that not all go at once.
        await waitForTurn(signal)
      } while (mustWait())
    },
    stop({ route, status, retryAfterMs, askAgainMs }) {
      const isNew = !isStopped()
      // None that is over at once: those under way together may all be refused like that.
      if (isNew && askAgainMs > now()) stopsInARow++
      const isTooOften = stopsInARow >= MAX_STOPS && giveUpAfterMs < Number.POSITIVE_INFINITY
      const isTooLong = isTooOften || askAgainMs - now() > giveUpAfterMs
      const untilMs = isTooLong ? askAgainMs : Math.min(askAgainMs, now() + MAX_THROTTLE_MS)
      const isLonger = isNew || untilMs > current.untilMs
      if (isLonger) current = { untilMs, status, isTooLong: isTooLong || (!isNew && current.isTooLong) }
      if (isNew) onThrottled({ route, untilMs, retryAfterMs })
      return !current.isTooLong
    },
    answered() {
      stopsInARow = 0
    },
  }
}
