import type { Fetch } from '../../casper/rpc/postJson.ts'

/** This machine's clock and a server's at one moment, both in epoch milliseconds. */
export interface ClockReading {
  readonly host: string
  readonly localMs: number
  /** By the `Date` of the server's newest answer, and the time that has passed since. */
  readonly serverMs: number
}

/** Compares this machine's clock with those of the servers that answer it. */
export interface Clocks {
  /** Sends a request, and notes the `Date` of its answer. */
  fetch: Fetch
  /** Returns the clocks as of now, one for each server that has sent a `Date`. */
  list(): ClockReading[]
}

/** A difference up to this is no fault, in milliseconds: a `Date` has whole seconds, and clocks drift a little. */
const MAX_CLOCK_DIFFERENCE_MS = 30_000

/** Whether two clocks differ by more than they may. */
export const isClockOff = ({ localMs, serverMs }: ClockReading): boolean =>
  Math.abs(localMs - serverMs) > MAX_CLOCK_DIFFERENCE_MS

export interface ClocksOptions {
  fetch: Fetch
  /** Epoch milliseconds, by this machine's clock. */
  now: () => number
  /** Milliseconds by a clock that nobody sets: a corrected clock shows at once. @default `now` */
  steadyNow?: () => number
}

/**
 * Creates clocks that know of no server yet.
 *
 * @example
 * ```ts
 * const clocks = createClocks({ fetch, now: Date.now, steadyNow: () => performance.now() })
 * await clocks.fetch('https://api.eia.gov/v2/', {})
 * console.log(clocks.list().filter(isClockOff))
 * ```
 */
export function createClocks({ fetch, now, steadyNow = now }: ClocksOptions): Clocks {
  /** How far each server's clock is ahead of the steady one. */
  const aheadOfSteady = new Map<string, number>()

  function note(url: string, { headers }: Response, askedMs: number): void {
    const date = Date.parse(headers.get('date') ?? '')
    // A cache keeps the `Date` of the answer that it stored.
    if (Number.isNaN(date) || Number(headers.get('age') ?? 0) > 0) return
    const answeredMs = now()
    // The server stamped its answer at some moment between: the nearest one counts.
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
