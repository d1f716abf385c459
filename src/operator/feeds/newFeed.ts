import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { periodStart } from '../../eia/period.ts'
import { checkSelection } from './checkFeeds.ts'
import type { NewestRow } from './checkUpstream.ts'
import { NewFeedError } from './choose.ts'
import { describeFeed, type Selection } from './describeFeed.ts'
import { createEiaReads, type EiaReads } from './eiaReads.ts'
import type { Prompt } from './prompt.ts'
import { type NewFeedFlags, selectSeries } from './selectSeries.ts'

export interface NewFeedOptions {
  /** Null without a terminal. */
  prompt: Prompt | null
  /** Null without a key: then the feed is marked as unverified. */
  eia: EiaReads | null
  /** Ids that are taken. */
  takenIds: ReadonlySet<string>
  /** Epoch milliseconds. */
  now: () => number
  warn: (message: string) => void
}

/**
 * Creates the entry of a new feed, checked against EIA if there is a key.
 *
 * @throws {NewFeedError} naming the flag that is missing or wrong, or the check that failed at EIA.
 * @throws {EiaError | PromptClosedError}
 *
 * @example
 * ```ts
 * const flags = { route: 'petroleum/pri/spt', frequency: 'weekly', facets: { series: 'RWTC' } }
 * const feed = await newFeed(flags, { prompt: null, eia, takenIds: new Set(), now: Date.now, warn: console.error })
 * ```
 */
export async function newFeed(flags: NewFeedFlags, options: NewFeedOptions): Promise<FeedConfig> {
  const { prompt, takenIds, now, warn } = options
  const eia = options.eia && createEiaReads(options.eia)
  const selection = await selectSeries(flags, prompt, eia)
  const newest = eia && (await readNewest(selection, eia))
  const feed = await describeFeed({ selection, newest, flags, prompt, takenIds })
  if (newest === null)
    warn(
      'EIA_API_KEY is not set: the entry is marked "unverified"; set it and run "check" to verify the feed',
    )
  else if (feed.allow_future !== true && periodStart(feed.frequency, newest.period) > now())
    warn(`the newest period, ${newest.period}, has not begun: without --allow-future it is not attested`)
  return feed
}

async function readNewest(selection: Selection, eia: EiaReads): Promise<NewestRow | null> {
  const { dataset, ...series } = selection
  const { checks, newest } = await checkSelection({ route: dataset.route, ...series }, eia)
  const faults = checks.filter(({ state }) => state === 'failed').map(({ detail }) => detail)
  if (faults.length > 0) throw new NewFeedError('wrong_feed', faults.join('\n'))
  return newest
}
