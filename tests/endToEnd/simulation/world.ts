import type { AgentRuns } from './agentRuns.ts'
import type { Chance } from './chance.ts'
import type { EiaModel, ModelFeed } from './eiaModel.ts'
import type { Network } from './network.ts'
import type { Truth } from './truth.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** All that goes on at once. */
export interface World {
  eia: EiaModel
  network: Network
  agent: AgentRuns
  /** Which troubles there are now. */
  truth: Truth
  /** The true time, in epoch milliseconds. */
  now: () => number
  /** Until when EIA publishes nothing, in epoch milliseconds. */
  closedUntil: number
  /** Returns a source of chance of one's own. */
  chance: (purpose: string) => Chance
  /** Counts what happens and notes it. */
  tell: (what: string, details?: string) => void
  /** Whether all troubles are over. */
  isOver: () => boolean
  /** Sets the agent's clock wrong by so many milliseconds. */
  setSkew: (ms: number) => void
  /** Returns the account's balance, in motes. */
  getBalance: () => Promise<bigint>
  /** Writes the feeds file: as the feeds are configured, or this text. */
  writeFeeds: (text?: string) => void
  /** Fills the disk on which the archive is, or makes room. */
  fillDisk: (isFull: boolean) => void
  /** Returns the hashes of all sources in the archive. */
  readArchive: () => ReadonlySet<string>
  /** Attests a feed's newest value once more, with the agent's key. Returns whether there is one. */
  attestElsewhere: (feed: ModelFeed) => Promise<boolean>
}

/** Configures the unit that EIA states for a feed now. */
export function mendUnit(feed: ModelFeed): void {
  if (feed.unit !== null) feed.config = { ...feed.config, upstream_unit: feed.unit }
}
