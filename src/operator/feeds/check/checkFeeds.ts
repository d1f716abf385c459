import pLimit from 'p-limit'
import { type DatasetConfig, type FeedConfig, isDataset } from '../../../feeds/file/feedConfig.ts'
import { cacheEiaReads, type EiaReads } from '../eiaReads.ts'
import { type Check, type CheckedSelection, checkCatalog, checkDataset, passed } from './checks.ts'
import { checkUpstream, type NewestRow, type SelectionCheck, skipUpstream } from './checkUpstream.ts'

/** What the checks of a feed have found. */
export interface CheckedFeed {
  feed_id: string
  is_right: boolean
  checks: Check[]
  /** The newest row of its series; null if EIA has none or was not queried. */
  newest: NewestRow | null
  /** Why it is marked as unverified, or null. */
  unverified: string | null
  /** Whether EIA fully confirms it, so that `unverified` can be removed. */
  is_confirmed: boolean
  /** The unit that EIA's rows state, if the feed has no `upstream_unit`; else null. */
  missing_unit: string | null
}

/** Feeds checked at once; the EIA client keeps to the rate limit. */
const CONCURRENCY = 4

/** Checks feeds against the catalog, and against EIA if there is a key. Calls `onChecked` after each. */
export function checkFeeds(
  configs: readonly FeedConfig[],
  eia: EiaReads | null,
  onChecked: (feed: CheckedFeed, done: number) => void = () => {},
): Promise<CheckedFeed[]> {
  const reads = eia && cacheEiaReads(eia)
  let done = 0
  return pLimit(CONCURRENCY).map(configs, async (config) => {
    const feed = await checkFeed(config, reads)
    onChecked(feed, ++done)
    return feed
  })
}

async function checkFeed(config: FeedConfig, eia: EiaReads | null): Promise<CheckedFeed> {
  if (isDataset(config)) return checkDatasetFeed(config)
  const { checks, newest, missingUnit } = await checkSelection(config, eia)
  const { feed_id, unverified = null } = config
  return { feed_id, ...judge(checks), newest, unverified, missing_unit: missingUnit }
}

function checkDatasetFeed(config: DatasetConfig): CheckedFeed {
  const { feed_id, unverified = null } = config
  return { feed_id, ...judge(checkDataset(config)), newest: null, unverified, missing_unit: null }
}

/** Checks a selection against the catalog, and against EIA if there is a key. */
export async function checkSelection(
  selection: CheckedSelection,
  eia: EiaReads | null,
): Promise<SelectionCheck> {
  const upstream = eia ? await checkUpstream(eia, selection) : skipUpstream(selection)
  return { ...upstream, checks: [...checkCatalog(selection), ...upstream.checks] }
}

const judge = (checks: Check[]): Pick<CheckedFeed, 'is_right' | 'checks' | 'is_confirmed'> => ({
  is_right: checks.every(({ state }) => state !== 'failed'),
  checks,
  is_confirmed: checks.every(({ state }) => state === 'passed'),
})

/** Returns the units to write into the feeds file by feed id: of feeds that lack one and are otherwise right. */
export const unitsToWrite = (feeds: readonly CheckedFeed[]): Map<string, string> =>
  new Map(
    feeds.flatMap(({ feed_id, missing_unit, checks }) => {
      const isWrong = checks.some(({ check, state }) => check !== 'upstream_unit' && state === 'failed')
      return missing_unit === null || isWrong ? [] : [[feed_id, missing_unit]]
    }),
  )

/** Returns the check of a feed whose unit was written into the feeds file; null if none was. */
export function withWrittenUnit(feed: CheckedFeed, unit: string | null): CheckedFeed {
  if (unit === null) return feed
  const written = passed('upstream_unit', `${unit}, written into the feeds file`)
  const checks = feed.checks.map((each) => (each.check === 'upstream_unit' ? written : each))
  return { ...feed, ...judge(checks), missing_unit: null }
}
