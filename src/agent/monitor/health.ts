import type { FeedOutcome } from '../feedOutcome.ts'

/** What `/health` answers beside that the process is alive. */
export interface AgentHealth {
  /** Feeds that are watched. */
  feeds: number
  /** Feeds whose last try failed. */
  failing: number
  /** When the last cycle ended, in epoch milliseconds; null before the first. */
  last_cycle_at: number | null
}

/** Keeps what `/health` answers. */
export interface HealthKeeper {
  current(): AgentHealth
  /** A cycle is over. */
  update(outcomes: readonly FeedOutcome[], now: number): void
}

export function createHealth(feeds: number): HealthKeeper {
  const failing = new Set<string>()
  let lastCycleAt: number | null = null
  return {
    current: () => ({ feeds, failing: failing.size, last_cycle_at: lastCycleAt }),
    update(outcomes, now) {
      lastCycleAt = now
      for (const { feedId, error } of outcomes) {
        if (error === null) failing.delete(feedId)
        else failing.add(feedId)
      }
    },
  }
}
