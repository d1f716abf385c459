import { type EiaRow, encodePeriod } from '@wattfeed/eia'
import { listRecipeDifferences, type SeriesConfig } from '../../feeds/file/feedConfig.ts'
import { listGaps } from '../../feeds/status/gaps.ts'
import { asError } from '../../runtime/asError.ts'
import { assertAttestable, assertUnit, assertVerified, type ChainFeed } from '../plan/assertAttestable.ts'
import { decide } from '../plan/decide.ts'
import type { Observation } from '../plan/plan.ts'
import { assertNotBefore } from '../state/settledBlocks.ts'
import { readLastPrints } from './lastPrints.ts'
import { readNewestRow } from './newestRow.ts'
import type { ObserveSettings } from './observeSettings.ts'
import { isUpTo, listEarlier, listFirst, listLate, listMissed, type Newest, type Poll } from './otherRows.ts'
import type { View } from './view.ts'

/** An observation while it is read: a failure keeps what was read before. */
type Draft = { -readonly [Key in keyof Observation]: Observation[Key] }

/**
 * Reads a feed on chain, as of one block, and its rows at EIA: the newest one, and earlier ones that may be missing or
 * different on chain. Never throws: it returns a failure with everything that was read before.
 */
export async function observe(
  feed: SeriesConfig,
  view: View,
  settings: ObserveSettings,
): Promise<Observation> {
  const seen: Draft = {
    block: view.block,
    time: settings.now(),
    state: null,
    newest: null,
    rows: [],
    prints: new Map(),
    gaps: [],
    maxPeriods: 0,
    failure: null,
  }
  try {
    await read(seen, feed, view, settings)
  } catch (error) {
    seen.failure = asError(error)
  }
  return seen
}

async function read(seen: Draft, feed: SeriesConfig, view: View, settings: ObserveSettings): Promise<void> {
  settings.stop.throwIfAborted()
  assertVerified(feed, settings.chainName)
  const state = await readChainFeed(feed, view)
  seen.state = state
  void settings.report({ event: 'read', feedId: feed.feed_id, state })
  // Checked before the request to EIA, which would be useless if the feed cannot be attested.
  assertAttestable(feed, state, settings.accountHash)
  warnOfMissingRecipe(feed, state, settings.warnOnce)
  const { row, series, later } = await readNewestRow(feed, settings)
  seen.newest = row
  checkUnit(row, feed, settings)
  await readOthers(seen, row, { feed, view, settings, series, later, state })
}

/** Reads a feed on chain. @throws {LaggingValueError} and the errors of the client. */
export async function readChainFeed(
  { feed_id }: Pick<SeriesConfig, 'feed_id'>,
  view: View,
): Promise<ChainFeed> {
  assertNotBefore(feed_id, view)
  const [feed, latest, claimant] = await Promise.all([
    view.at.getFeed(feed_id),
    view.at.getValue(feed_id),
    view.at.getClaimant(feed_id),
  ])
  return { feed, latest, claimant }
}

/** Reads the rows beside the newest one, and the chain's values for them. */
async function readOthers(seen: Draft, row: EiaRow, poll: Poll): Promise<void> {
  const { feed, state, settings } = poll
  const decided = (row: EiaRow): Newest => ({
    row,
    result: decide({ row, feed, latest: state.latest, now: seen.time }),
  })
  const first = decided(row)
  const missed = await listMissed(first, poll)
  // A missed row may be newer than the one that was read before.
  const [latestRow = row] = missed
  seen.newest = latestRow
  assertUnit(latestRow, feed)
  const newest = missed.length === 0 ? first : decided(latestRow)
  const earlier = await listEarlier(newest, missed, poll)
  const begun = await listFirst(newest, earlier, poll)
  const isHeld = isUpTo(poll)
  const { prints, gaps } = await readPast(earlier, poll)
  const isEarlier = ({ period }: EiaRow) => earlier.some((each) => each.period === period)
  const late = (await listLate(gaps, newest, poll)).filter((each) => !isEarlier(each))
  // The missed rows include the earlier ones that are later than the chain's newest period.
  const compared = missed.length === 0 ? earlier : [...missed.slice(1), ...earlier.filter(isHeld)]
  Object.assign(seen, {
    rows: [...compared, ...begun, ...late],
    prints,
    gaps,
    maxPeriods: Math.max(settings.catchUp, earlier.filter((row) => !isHeld(row)).length, begun.length),
  })
}

/** Warns if there is no recipe on chain, because then a changed column or facet in the feeds file goes unnoticed. */
function warnOfMissingRecipe(
  config: SeriesConfig,
  { feed }: ChainFeed,
  warnOnce: ObserveSettings['warnOnce'],
): void {
  if (feed === null || listRecipeDifferences(config, feed) !== null) return
  const { feed_id } = config
  warnOnce(
    feed_id,
    `the feed has no recipe on chain, so an edited column or facet would go unnoticed: set upstream_unit if it is missing ("feeds check ${feed_id} --write"), then run "feeds register ${feed_id}"`,
  )
}

/** Asserts the unit of the newest row, and logs whether a change of it would be noticed. */
function checkUnit(row: EiaRow, feed: SeriesConfig, { onUnit, warnOnce }: ObserveSettings): void {
  const { feed_id, upstream_unit } = feed
  assertUnit(row, feed)
  if (upstream_unit !== undefined) onUnit(feed_id, upstream_unit)
  else if (row.statedUnit !== null)
    warnOnce(
      feed_id,
      `the feed has no upstream_unit, so a change of EIA's unit would go unnoticed: "feeds check ${feed_id}" prints the unit to set`,
    )
}

/** Reads the chain's values for rows that are not later than its newest value, and finds missing periods. */
async function readPast(rows: readonly EiaRow[], poll: Poll): Promise<Pick<Observation, 'prints' | 'gaps'>> {
  const { feed, view, state, settings } = poll
  if (state.latest === null) return { prints: new Map(), gaps: [] }
  const { frequency } = feed
  const { lastPrints, lostPeriods } = settings
  const latest = state.latest.period
  const periods = rows.filter(isUpTo(poll)).map(({ period }) => encodePeriod(frequency, period))
  const sought = [...periods, ...(lostPeriods?.candidates(feed, latest) ?? [])]
  const past = await readLastPrints(lastPrints, view.at, feed, state.latest, sought)
  const { prints } = past
  const gaps = listGaps(frequency, past)
  lostPeriods?.note(feed, { latest, gaps, prints })
  return { prints, gaps }
}
