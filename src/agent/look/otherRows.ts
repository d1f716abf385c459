import { WattfeedError } from '@wattfeed/base'
import {
  type EiaRow,
  EiaRowsMovedError,
  encodePeriod,
  isNextPeriod,
  periodsBetween,
  type Series,
} from '@wattfeed/eia'
import type { SeriesConfig } from '../../feeds/file/feedConfig.ts'
import { GAP_LIMIT } from '../../feeds/status/gaps.ts'
import type { ChainFeed } from '../plan/assertAttestable.ts'
import { attestRows } from '../plan/attestRows.ts'
import { type DecisionResult, isSameValue, isWritten } from '../plan/decide.ts'
import { isOutOfPlace } from './newestRow.ts'
import type { ObserveSettings } from './observeSettings.ts'
import type { View } from './view.ts'

/** A poll that has read the feed on chain and its newest row, and searches other rows. */
export interface Poll {
  readonly feed: SeriesConfig
  readonly view: View
  readonly settings: ObserveSettings
  readonly state: ChainFeed
  /** The series for further requests, see {@link NewestRow}. */
  readonly series: Series
  /** Number of later rows that requests for that series list too. */
  readonly later: number
}

/** Number of periods to search for missing ones: more than the hours of a year. */
const MAX_GAP = 10_000

/** Number of rows to search for the first value of a feed if its newest row has none. */
const MAX_FIRST_ROWS = 100

/** The newest row that this cycle attests, and its decision. */
export interface Newest {
  readonly row: EiaRow
  readonly result: DecisionResult
}

/** Returns whether earlier rows cannot be compared: the newest row is a forecast, or EIA removed the chain's newest period. */
const isApart = ({ result: { decision } }: Newest): boolean =>
  decision === 'future-period' || decision === 'older-than-chain'

/** Lists the rows that are later than the chain's newest period, newest first; none if the newest row is the next. */
export async function listMissed(
  newest: Newest,
  { feed, series, state: { latest }, settings }: Poll,
): Promise<readonly EiaRow[]> {
  const { eia, catchUp, stop: signal, warnOnce, now } = settings
  const { row, result } = newest
  if (catchUp === 0 || latest === null || isApart(newest) || result.period <= latest.period) return []
  if (isNextPeriod(feed.frequency, latest.period, result.period)) return []
  const listed = { since: latest.period, signal }
  // Usually few are missing: one request finds them.
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

/**
 * Lists the rows to compare with the chain, newest first: those that LOOK_BACK reaches from the newest one, and from the chain's
 * newest period.
 *
 * The latter are the rows that the polls before a new period have compared. A revision of that time may still be due. It waits
 * while EIA has no number for the chain's newest period, or was made while no agent ran.
 *
 * @param missed what {@link listMissed} has returned
 */
export async function listEarlier(
  newest: Newest,
  missed: readonly EiaRow[],
  poll: Poll,
): Promise<readonly EiaRow[]> {
  const { feed, series, later, settings } = poll
  const { eia, lookBack, offersMany, stop: signal, warnOnce } = settings
  const periods = feed.look_back ?? lookBack
  if (periods === 0 || isApart(newest)) return []
  if (!offersMany) {
    warnOnce(
      feed.feed_id,
      'look_back is ignored, because the AttestationRegistry has no attest_many: upgrade it with "contracts upgrade"',
    )
    return []
  }
  const added = missed.length > 0 ? missed.length : countLater(newest, poll)
  const { rows } = await eia.listRowsSince(series, { most: later + added + 1 + periods, signal })
  assertListed(rows, newest.row, feed)
  const before = rows.filter(({ period }) => encodePeriod(feed.frequency, period) < newest.result.period)
  const isHeld = isUpTo(poll)
  return [
    ...before.filter((row) => !isHeld(row)).slice(0, periods),
    ...before.filter(isHeld).slice(0, periods + 1),
  ]
}

/** The most rows that EIA can have after the chain's newest period, up to the newest row. */
function countLater(
  { result: { period } }: Newest,
  { feed: { frequency }, state: { latest } }: Poll,
): number {
  if (latest === null || period <= latest.period) return 0
  return Math.min(MAX_GAP, 1 + periodsBetween(frequency, latest.period, period).length)
}

/** Returns the newest row with a value, for a feed that has none on chain and whose newest row has none either. */
export async function listFirst(
  newest: Newest,
  earlier: readonly EiaRow[],
  { feed, series, state: { latest }, settings }: Poll,
): Promise<readonly EiaRow[]> {
  const { eia, stop: signal, now } = settings
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
export async function listLate(
  gaps: readonly number[],
  newest: Newest,
  { feed, series, state: { latest }, settings }: Poll,
): Promise<readonly EiaRow[]> {
  const { eia, catchUp, offersMany, stop: signal, warnOnce, now } = settings
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
    const closing = attestRows(closingRows(byPeriod, newest, latest), { feed, now: now() })
    const kept = closing.attestations.filter((each) => !isWritten(newest.result) || isSameValue(each, latest))
    return [...attestations.slice(0, catchUp), ...kept].map(({ row }) => row)
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
  latest: ChainFeed['latest'],
): readonly EiaRow[] {
  const rows = latest === null || latest.period === period ? [] : (byPeriod.get(latest.period) ?? [])
  return rows.length === 1 ? rows : []
}

/** Asserts that a list has the newest row. One of EIA's servers may be behind another, and list too few rows. */
function assertListed(rows: readonly EiaRow[], { period }: EiaRow, { route }: SeriesConfig): void {
  if (!rows.some((each) => each.period === period)) throw new EiaRowsMovedError({ route, status: null })
}

/** Whether a row is not later than the chain's newest period. */
export const isUpTo =
  ({ feed: { frequency }, state: { latest } }: Poll) =>
  ({ period }: EiaRow): boolean =>
    latest !== null && encodePeriod(frequency, period) <= latest.period
