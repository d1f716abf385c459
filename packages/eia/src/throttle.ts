import { EiaThrottledError } from './eiaErrors.ts'

/** Waits for a time in milliseconds, or until the signal aborts. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

/** EIA throttled a request. */
export interface ThrottledEvent {
  route: string
  /** End of the pause, in epoch milliseconds. */
  untilMs: number
  /** The pause that EIA asks for; null if it names none. */
  retryAfterMs: number | null
}

export interface ThrottleOptions {
  now: () => number
  wait: Wait
  /** Resolves when the rate limit allows the next request. */
  waitForTurn: (signal?: AbortSignal) => Promise<void>
  /**
   * If EIA asks for a longer pause than this, or for the third in a row, requests fail until it ends. Infinity: they always wait.
   */
  giveUpAfterMs: number
  /** Called once for each pause of all requests. */
  onThrottled: (event: ThrottledEvent) => void
}

/** Pauses all requests of a client together. */
export interface Throttle {
  /** Resolves when a request may be sent. @throws {EiaThrottledError} if EIA asks for a pause that is too long. */
  pass(route: string, signal?: AbortSignal): Promise<void>
  /** Pauses all requests for the time that EIA asks for. Returns whether requests wait for its end. */
  stop(refusal: EiaThrottledError): boolean
  /** Call it after an answer: it resets the count of pauses in a row. */
  answered(): void
}

/** Maximum pause that EIA can request. */
export const MAX_THROTTLE_MS = 60_000
// Each pause uses up an attempt of one request only, so dozens of requests would take hours to fail.
const MAX_STOPS = 3

/** Pauses all requests when one is throttled, and resumes them together. */
export function createThrottle(options: ThrottleOptions): Throttle {
  const { now, wait, waitForTurn, giveUpAfterMs, onThrottled } = options
  let current = { untilMs: Number.NEGATIVE_INFINITY, status: 429, isTooLong: false }
  let stopsInARow = 0
  const isStopped = () => now() < current.untilMs

  return {
    async pass(route, signal) {
      let waited: typeof current | null = null
      // A timer may fire early. Nobody waits twice for the same pause, but for a longer one that started meanwhile.
      const mustWait = () => current !== waited && isStopped()
      do {
        while (mustWait()) {
          const { untilMs, status, isTooLong } = current
          const leftMs = untilMs - now()
          if (isTooLong)
            throw new EiaThrottledError({ route, status, retryAfterMs: leftMs, askAgainMs: untilMs })
          waited = current
          await wait(leftMs, signal)
        }
        // Taken after the wait, so that requests do not start all at once.
        await waitForTurn(signal)
      } while (mustWait())
    },
    stop({ route, status, retryAfterMs, askAgainMs }) {
      const isNew = !isStopped()
      // No pause without a duration: all requests in flight together may be throttled like that.
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
