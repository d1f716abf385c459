import pLimit from 'p-limit'
import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import type { Check } from './check.ts'
import { checkSelection } from './checkSelection.ts'
import type { NewestRow } from './checkUpstream.ts'
import { createEiaReads, type EiaReads } from './eiaReads.ts'

/** What was found of a configured feed. */
export interface CheckedFeed {
  feed_id: string
  /** Whether no check failed. */
  is_right: boolean
  checks: Check[]
  /** The newest row of its series; null where EIA gave none or was not asked. */
  newest: NewestRow | null
  /** Why it is marked as not verified, or null. */
  unverified: string | null
  /** Whether EIA confirms it in full, so that a mark can go. */
  is_confirmed: boolean
}

/** Feeds checked at once; EIA's client keeps to its rate by itself. */
const CONCURRENCY = 4

/**
 * Checks configured feeds against the catalog, and against EIA where there is a client of it.
 *
 * @example
 * ```ts
 * const checked = await checkFeeds(await loadFeeds(null), null)
 * console.log(checked.every(({ is_right }) => is_right)) // true
 * ```
 */
export function checkFeeds(
  configs: readonly FeedConfig[],
  eia: EiaReads | null,
  onChecked: (feed: CheckedFeed, done: number) => void = () => {},
): Promise<CheckedFeed[]> {
  const reads = eia && createEiaReads(eia)
  let done = 0
  return pLimit(CONCURRENCY).map(configs, async (config) => {
    const feed = await checkFeed(config, reads)
    onChecked(feed, ++done)
    return feed
  })
}

async function checkFeed(config: FeedConfig, eia: EiaReads | null): Promise<CheckedFeed> {
  const { checks, newest } = await checkSelection(config, eia)
  return {
    feed_id: config.feed_id,
    is_right: checks.every(({ state }) => state !== 'failed'),
    checks,
    newest,
    unverified: config.unverified ?? null,
    is_confirmed: checks.every(({ state }) => state === 'passed'),
  }
}
