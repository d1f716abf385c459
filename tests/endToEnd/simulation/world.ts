import type { AgentDisk } from './agentDisk.ts'
import type { AgentRuns } from './agentRuns.ts'
import type { Chance } from './chance.ts'
import type { EiaModel, ModelFeed } from './eiaModel.ts'
import type { Network } from './network.ts'
import type { PriceDataset } from './priceDataset.ts'
import type { Truth } from './truth.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The simulated world and its actions. */
export interface World {
  eia: EiaModel
  /** The dataset that is attested as a whole. */
  prices: PriceDataset
  network: Network
  agent: AgentRuns
  /** The present troubles. */
  truth: Truth
  /** The true time, in epoch milliseconds. */
  now: () => number
  /** EIA publishes nothing until then, in epoch milliseconds. */
  closedUntil: number
  /** Returns an independent random source. */
  chance: (purpose: string) => Chance
  /** Counts and records an event. */
  tell: (what: string, details?: string) => void
  /** Whether all troubles are over. */
  isOver: () => boolean
  /** Sets the agent's clock wrong by this number of milliseconds. */
  setSkew: (ms: number) => void
  /** Returns the account's balance, in motes. */
  getBalance: () => Promise<bigint>
  /** Writes the feeds file: the configured feeds, or this text. */
  writeFeeds: (text?: string) => void
  /** Makes the archive's file impossible to write, or usable again. */
  blockArchive: (isBlocked: boolean) => void
  /** The disk of the agent's files. */
  disk: AgentDisk
  /** Returns the hashes of all sources in the archive. */
  readArchive: () => ReadonlySet<string>
  /** Attests a feed's newest value once more, with the agent's key. Returns whether there is one. */
  attestElsewhere: (feed: ModelFeed) => Promise<boolean>
}

/** Configures the unit that EIA's rows have now. */
export function mendUnit(feed: ModelFeed): void {
  if (feed.unit !== null) feed.config = { ...feed.config, upstream_unit: feed.unit }
}
