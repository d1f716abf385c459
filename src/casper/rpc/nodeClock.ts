import type { Fetch } from './postJson.ts'

/** The nodes' clock, by the `Date` of their HTTP answers. */
export interface NodeClock {
  /** Calls a node, and notes the `Date` of its answer. */
  fetch: Fetch
  /** Returns the nodes' time in epoch milliseconds; null if no answer had a `Date`. */
  time(): number | null
}

/** Creates the clock of some nodes. @param now milliseconds of a monotonic clock */
export function createNodeClock(fetch: Fetch, now: () => number): NodeClock {
  /** How far the nodes' clock is ahead of the monotonic one. */
  let offsetMs: number | null = null
  return {
    async fetch(url, init) {
      const response = await fetch(url, init)
      const date = Date.parse(response.headers.get('date') ?? '')
      if (!Number.isNaN(date)) offsetMs = date - now()
      return response
    },
    time: () => (offsetMs === null ? null : now() + offsetMs),
  }
}
