import type { Fetch } from '../rpc/postJson.ts'

/** Compares this machine's clock with the nodes', by the `Date` of their HTTP answers. */
export interface NodeClock {
  /** Calls a node, and notes its `Date`. */
  fetch: Fetch
  /**
   * Returns how far this machine's clock is ahead of the newest `Date`, in milliseconds: negative if it is behind, null if
   * no answer had one. Up to a second and the answer's way too much.
   */
  aheadMs(): number | null
}

/** Creates the clock of a program's nodes; `now` is this machine's clock in epoch milliseconds. */
export function createNodeClock(fetch: Fetch, now: () => number = Date.now): NodeClock {
  let aheadMs: number | null = null
  return {
    async fetch(url, init) {
      const response = await fetch(url, init)
      const date = Date.parse(response.headers.get('date') ?? '')
      if (!Number.isNaN(date)) aheadMs = now() - date
      return response
    },
    aheadMs: () => aheadMs,
  }
}

/** A node refuses a transaction that is stamped further ahead of its own clock: the chainspec's `timestamp_leeway`. */
const LEEWAY_MS = 2_000

/**
 * Returns the timestamp of a transaction that is signed now: the earlier of this machine's clock and the nodes'. Without
 * a `Date`, or with one so far off that the transaction would expire too soon, it is the leeway before our own clock.
 */
export function stampOf(nowMs: number, aheadMs: number | null, ttlMs: number): number {
  if (aheadMs === null || isTooFarOff(aheadMs, ttlMs)) return nowMs - LEEWAY_MS
  return nowMs - Math.max(0, aheadMs)
}

/** Whether the clocks differ by more than half of a transaction's life, so that neither of them can be relied on. */
export const isTooFarOff = (aheadMs: number, ttlMs: number): boolean => Math.abs(aheadMs) > ttlMs / 2

/** From here on the operator is told; a `Date` that a proxy has kept for a moment is none of that. */
const FAR_OFF_MS = 10_000

/** Whether a clock is so far off that its owner should set it. */
export const isFarOff = (aheadMs: number): boolean => Math.abs(aheadMs) >= FAR_OFF_MS

/** Says how far this machine's clock is off, and to which side. */
export const clockWords = (aheadMs: number): string =>
  `this machine's clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the chain's`
