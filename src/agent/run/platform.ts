import { sleep } from '@wattfeed/base'
import type { TakeSnapshot } from '../datasets/datasetKeeper.ts'

/** The platform's functions; tests replace them. */
export interface Platform {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Epoch milliseconds. */
  now: () => number
  /** Waits. Aborting the signal rejects with its reason. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  random: () => number
  /** Milliseconds of a monotonic clock. @default `now` */
  steadyNow?: () => number
  /** Takes the snapshot of a dataset. @default the one of `agent/datasets` */
  takeSnapshot?: TakeSnapshot
  /** How long to wait between two polls of a transaction, in milliseconds. @default 4_000 */
  pollMs?: number
}

/** The platform of the programs. */
export const systemPlatform: Platform = {
  fetch: (url, init) => fetch(url, init),
  now: Date.now,
  steadyNow: () => performance.now(),
  wait: sleep,
  random: Math.random,
}
