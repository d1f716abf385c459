import type { AgentRuns } from './agentRuns.ts'
import type { Chance } from './chance.ts'
import type { EiaModel, ModelFeed } from './eiaModel.ts'
import type { Network } from './network.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS

/** All that goes on at once. */
export interface World {
  eia: EiaModel
  network: Network
  agent: AgentRuns
  /** Returns a source of chance of one's own. */
  chance: (purpose: string) => Chance
  /** Counts what happens and notes it. */
  tell: (what: string, details?: string) => void
  /** Whether all troubles are over. */
  isOver: () => boolean
  /** Makes the agent's clock fast. */
  setSkew: (ms: number) => void
  /** Returns the account's balance, in motes. */
  getBalance: () => Promise<bigint>
  /** Writes the feeds file: as the feeds are configured, or this text. */
  writeFeeds: (text?: string) => void
}

/** Configures the unit that EIA states for a feed now. */
export function mendUnit(feed: ModelFeed): void {
  if (feed.unit !== null) feed.config = { ...feed.config, upstream_unit: feed.unit }
}
