import { EiaRowsMovedError } from '../../eia/listRowsSince.ts'
import { encodePeriod, isNextPeriod } from '../../eia/period.ts'
import type { EiaRow, Series } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import { GAP_LIMIT, listGaps } from '../../status/gaps.ts'
import { type FeedConfig, listRecipeDifferences } from '../feeds/feedConfig.ts'
import type { BatchOptions } from '../plan/attestCall.ts'
import {
  assertAttestable,
  assertUnit,
  assertVerified,
  type ChainValue,
  type DecisionResult,
  decide,
  type FeedState,
  isWritten,
} from '../plan/decide.ts'
import { attestRows, type Observation } from '../plan/plan.ts'
import { assertNotBefore } from '../state/settledBlocks.ts'
import { readLastPrints } from './lastPrints.ts'
import { isOutOfPlace, readNewestRow } from './newestRow.ts'
import type { Look, View } from './view.ts'

/** The look of a feed's chain, and whether that takes several values at once. */
type ChainLook = Look & Pick<BatchOptions, 'offersMany'>

/** Number of periods to search for missing ones: more than the hours of a year. */
const MAX_GAP = 10_000

/** Number of rows to search for the first value of a feed if its newest row has none. */
const MAX_FIRST_ROWS = 100

type Draft = { -readonly [Key in keyof Observation]: Observation[Key] }

/**
 * Reads a feed on chain, as of one block, and its rows at EIA: the newest one, and earlier ones that may be missing or
 * different on chain. Never throws: it returns a failure with everything that was read before.
 */
export async function observe(feed: FeedConfig, view: View, options: ChainLook): Promise<Observation> {
  const seen: Draft = {
    block: view.block,
    time: options.now(),
    state: null,
    newest: null,
    rows: [],
    prints: new Map(),
    gaps: [],
    maxPeriods: 0,
    failure: null,
  }
  try {
    await read(seen, { feed, view, options })
  } catch (error) {
    seen.failure = error instanceof Error ? error : new Error(String(error))
  }
  return seen
}

interface FeedLook {
  readonly feed: FeedConfig
  readonly view: View
  readonly options: ChainLook
}

async function read(seen: Draft, look: FeedLook): Promise<void> {
  const { feed, view, options } = look
  options.stop.throwIfAborted()
  assertVerified(feed, options.chainName)
  const state = await readState(feed, view)
  seen.state = state
  void options.report?.({ event: 'read', feedId: feed.feed_id, state })
  // Checked before the request to EIA, which would be useless if the feed cannot be attested.
  assertAttestable(feed, state, options.accountHash)
  warnOfMissingRecipe(feed, state, options.warnOnce)
  const { row, series } = await readNewestRow(feed, options)
  seen.newest = row
  checkUnit(row, feed, options)
  await readOthers(seen, row, { ...look, series, state })
}

/** Reads a feed on chain. @throws {LaggingValueError} and the errors of the client. */
export async function readState({ feed_id }: Pick<FeedConfig, 'feed_id'>, view: View): Promise<FeedState> {
  assertNotBefore(feed_id, view)
  const [feed, latest, claimant] = await Promise.all([
    view.at.getFeed(feed_id),
    view.at.getValue(feed_id),
    view.at.getClaimant(feed_id),
  ])
  return { feed, latest, claimant }
}

/** The state in which earlier rows are searched. */
interface RowsLook extends FeedLook {
  readonly series: Series
  readonly state: FeedState
}

async function readOthers(seen: Draft, row: EiaRow, look: RowsLook): Promise<void> {
  const { feed, state, options } = look
  const decided = (row: EiaRow): Newest => ({
    row,
    result: decide({ row, feed, latest: state.latest, now: seen.time }),
  })
  const first = decided(row)
  const missed = await listMissed(first, look)
  const [latestRow = row] = missed
  seen.newest = latestRow
  assertUnit(latestRow, feed)
  const newest = missed.length === 0 ? first : decided(latestRow)
  const earlier = await listEarlier(newest, look)
  const begun = await listFirst(newest, earlier, look)
  const { prints, gaps } = await readPast(earlier, look)
  const late = (await listLate(gaps, newest, look)).filter((each) => !earlier.some(isSamePeriod(each)))
  const compared = missed.length === 0 ? earlier : [...missed.slice(1), ...earlier.filter(isUpTo(look))]
  Object.assign(seen, {
    rows: [...compared, ...begun, ...late],
    prints,
    gaps,
    maxPeriods: Math.max(options.catchUp, earlier.length, begun.length),
  })
}

/** Warns if there is no recipe on chain, because then a changed column or facet in the feeds file goes unnoticed. */
function warnOfMissingRecipe(config: FeedConfig, { feed }: FeedState, warnOnce: Look['warnOnce']): void {
  if (feed === null || listRecipeDifferences(config, feed) !== null) return
  const { feed_id } = config
  warnOnce(
    feed_id,
    `the feed has no recipe on chain, so an edited column or facet would go unnoticed: set upstream_unit if it is missing ("feeds check ${feed_id} --write"), then run "feeds register ${feed_id}"`,
  )
}

function checkUnit(row: EiaRow, feed: FeedConfig, { onUnit, warnOnce }: Look): void {
  const { feed_id, upstream_unit } = feed
  assertUnit(row, feed)
  if (upstream_unit !== undefined) onUnit?.(feed_id, upstream_unit)
  else if (row.statedUnit !== null)
    warnOnce(
      feed_id,
      `the feed has no upstream_unit, so a change of EIA's unit would go unnoticed: "feeds check ${feed_id}" prints the unit to set`,
    )
}

interface Newest {
  readonly row: EiaRow
  readonly result: DecisionResult
}

/** Whether earlier rows cannot be compared: the newest row is a forecast, or EIA removed the chain's newest period. */
const isApart = ({ result: { decision } }: Newest): boolean =>
  decision === 'future-period' || decision === 'older-than-chain'

const isUpTo =
  ({ feed: { frequency }, state: { latest } }: RowsLook) =>
  ({ period }: EiaRow): boolean =>
    latest !== null && encodePeriod(frequency, period) <= latest.period

/** Lists the rows that are later than the chain's newest period, newest first; none if the newest row is the next. */
async function listMissed(
  newest: Newest,
  { feed, series, state: { latest }, options }: RowsLook,
): Promise<readonly EiaRow[]> {
  const { eia, catchUp, stop: signal, warnOnce, now } = options
  const { row, result } = newest
  if (catchUp === 0 || latest === null || isApart(newest) || result.period <= latest.period) return []
  if (isNextPeriod(feed.frequency, latest.period, result.period)) return []
  const listed = { since: latest.period, signal }
  const few = await eia.listRowsSince(series, { ...listed, most: catchUp + 1 })
  const { rows, isComplete } = few.isComplete
    ? few
    : await eia.listRowsSince(series, { ...listed, most: MAX_GAP })
  assertListed(rows, row, feed)
  if (!isComplete)
    warnOnce(
      feed.feed_id,
      `more than ${rows.length} periods are missing: only the newest of them are attested`,
    )
  return rows.filter((each) => !isOutOfPlace(each, feed, now()))
}

async function listEarlier(newest: Newest, { feed, series, options }: RowsLook): Promise<readonly EiaRow[]> {
  const { eia, lookBack, offersMany, stop: signal, warnOnce } = options
  const periods = feed.look_back ?? lookBack
  if (periods === 0 || isApart(newest)) return []
  if (!offersMany) {
    warnOnce(
      feed.feed_id,
      'look_back is ignored, because the AttestationRegistry has no attest_many: upgrade it with "contracts upgrade"',
    )
    return []
  }
  const rows = await eia.listNewestRows(series, { length: periods + 1, signal })
  assertListed(rows, newest.row, feed)
  return rows.filter(({ period }) => encodePeriod(feed.frequency, period) < newest.result.period)
}

/** Returns the newest row with a value, for a feed that has none on chain and whose newest row has none either. */
async function listFirst(
  newest: Newest,
  earlier: readonly EiaRow[],
  { feed, series, state: { latest }, options }: RowsLook,
): Promise<readonly EiaRow[]> {
  const { eia, stop: signal, now } = options
  if (latest !== null || isWritten(newest.result) || isApart(newest)) return []
  const newestValue = (rows: readonly EiaRow[]) => attestRows(rows, { feed, now: now() }).attestations.at(-1)
  if (newestValue(earlier) !== undefined) return []
  const found = newestValue(await eia.listNewestRows(series, { length: MAX_FIRST_ROWS, signal }))
  return found === undefined ? [] : [found.row]
}

/**
 * Lists EIA's rows of periods that the chain lacks, and its row of the chain's newest period, which ends their list. If a
 * newer row is attested, a revision of that period is not. After an error they stay missing until the next poll, because the newest
 * value does not depend on them.
 */
async function listLate(
  gaps: readonly number[],
  newest: Newest,
  { feed, series, state: { latest }, options }: RowsLook,
): Promise<readonly EiaRow[]> {
  const { eia, catchUp, offersMany, stop: signal, warnOnce, now } = options
  const [oldest] = gaps
  if (oldest === undefined || catchUp === 0 || !offersMany) return []
  try {
    const { rows } = await eia.listRowsSince(series, {
      since: oldest - 1,
      most: MAX_GAP,
      pageLength: 2 * GAP_LIMIT,
      // Different rows of one period must not hide the late rows of others.
      mayDouble: true,
      signal,
    })
    const byPeriod = Map.groupBy(rows, ({ period }) => encodePeriod(feed.frequency, period))
    const missing = gaps.flatMap((period) => [byPeriod.get(period) ?? []])
    const doubled = missing.find(({ length }) => length > 1)
    if (doubled !== undefined)
      warnOnce(
        feed.feed_id,
        `EIA lists different rows for ${doubled[0]?.period}, which is missing on chain: it is attested when EIA has corrected them`,
      )
    // Rows without a number must not count against `catchUp`, or later rows might never be attested.
    const single = missing.filter(({ length }) => length === 1).flat()
    const { attestations } = attestRows(single, { feed, now: now() })
    const closing = attestRows(closingRows(byPeriod, newest, latest), {
      feed,
      now: now(),
    }).attestations.filter((each) => !isWritten(newest.result) || isSameValue(each, latest))
    return [...attestations.slice(0, catchUp), ...closing].map(({ row }) => row)
  } catch (error) {
    if (!(error instanceof WattfeedError)) throw error
    if (!error.retryable)
      warnOnce(feed.feed_id, `cannot request the periods that the chain lacks: ${error.message}`)
    return []
  }
}

/** Returns EIA's row of the chain's newest period, unless there are several; none if it is EIA's newest row too. */
function closingRows(
  byPeriod: ReadonlyMap<number, readonly EiaRow[]>,
  { result: { period } }: Newest,
  latest: FeedState['latest'],
): readonly EiaRow[] {
  const rows = latest === null || latest.period === period ? [] : (byPeriod.get(latest.period) ?? [])
  return rows.length === 1 ? rows : []
}

const isSameValue = (each: ChainValue, latest: ChainValue | null): boolean =>
  latest !== null && each.amount === latest.amount && each.source_hash === latest.source_hash

const isSamePeriod =
  ({ period }: EiaRow) =>
  (other: EiaRow): boolean =>
    other.period === period

/** Asserts that a list has the newest row. One of EIA's servers may be behind another, and list too few rows. */
function assertListed(rows: readonly EiaRow[], { period }: EiaRow, { route }: FeedConfig): void {
  if (!rows.some((each) => each.period === period)) throw new EiaRowsMovedError({ route, status: null })
}

/** Reads the chain's values for rows that are not later than its newest value, and finds missing periods. */
async function readPast(
  rows: readonly EiaRow[],
  look: RowsLook,
): Promise<Pick<Observation, 'prints' | 'gaps'>> {
  const { feed, view, state, options } = look
  if (state.latest === null) return { prints: new Map(), gaps: [] }
  const { frequency } = feed
  const { lastPrints, lostPeriods = null } = options
  const latest = state.latest.period
  const periods = rows.filter(isUpTo(look)).map(({ period }) => encodePeriod(frequency, period))
  const sought = [...periods, ...(lostPeriods?.candidates(feed, latest) ?? [])]
  const past = await readLastPrints(lastPrints, view.at, feed, state.latest, sought)
  const { prints } = past
  const gaps = listGaps(frequency, past)
  lostPeriods?.note(feed, { latest, gaps, prints })
  return { prints, gaps }
}
