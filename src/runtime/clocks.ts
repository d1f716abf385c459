import type { Fetch } from '@wattfeed/base'

/** This machine's clock and a server's at one moment, both in epoch milliseconds. */
export interface ClockReading {
  readonly host: string
  readonly localMs: number
  /** The `Date` of the server's newest answer, plus the time since then. */
  readonly serverMs: number
}

/** Compares this machine's clock with the clocks of servers. */
export interface Clocks {
  /** Sends a request and records the `Date` of the answer. */
  fetch: Fetch
  /** Returns the current clocks of all servers that have sent a `Date`. */
  list(): ClockReading[]
}

/** Maximum tolerated difference, in milliseconds. A `Date` has whole seconds, and clocks drift a little. */
const MAX_CLOCK_DIFFERENCE_MS = 30_000

/** Returns whether two clocks differ by more than the tolerance. */
export const isClockOff = ({ localMs, serverMs }: ClockReading): boolean =>
  Math.abs(localMs - serverMs) > MAX_CLOCK_DIFFERENCE_MS

export function createClocks(options: {
  fetch: Fetch
  /** Epoch milliseconds, by this machine's clock. */
  now: () => number
  /** Milliseconds of a monotonic clock, so that a corrected clock is noticed at once. @default `now` */
  steadyNow?: () => number
}): Clocks {
  const { fetch, now, steadyNow = now } = options
  /** How far each server's clock is ahead of the monotonic one. */
  const aheadOfSteady = new Map<string, number>()

  function note(url: string, { headers }: Response, askedMs: number): void {
    const date = Date.parse(headers.get('date') ?? '')
    // An answer from a cache has an old `Date`.
    if (Number.isNaN(date) || Number(headers.get('age') ?? 0) > 0) return
    const answeredMs = now()
    // The server stamped its answer between request and answer, so use the nearest possible moment.
    const stampedMs = Math.min(Math.max(date, askedMs), answeredMs)
    aheadOfSteady.set(new URL(url).host, date - stampedMs + answeredMs - steadyNow())
  }

  return {
    async fetch(url, init) {
      const askedMs = now()
      const response = await fetch(url, init)
      note(url, response, askedMs)
      return response
    },
    list: () =>
      [...aheadOfSteady].map(([host, ahead]) => ({
        host,
        localMs: now(),
        serverMs: steadyNow() + ahead,
      })),
  }
}
