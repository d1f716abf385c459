import {
  EiaDoubledPeriodError,
  EiaNoRowsError,
  type EiaRow,
  isForecast,
  newestPeriod,
  type Series,
} from '@wattfeed/eia'
import { type SeriesConfig, seriesOf } from '../../feeds/file/feedConfig.ts'
import type { ObserveSettings } from './observeSettings.ts'

/** A feed's newest row at EIA that may be attested. */
export interface NewestRow {
  readonly row: EiaRow
  /** The series for further requests. If EIA lists later rows, it ends with the last attestable period. */
  readonly series: Series
  /** Number of later rows that requests for that series list too. Only local hours have any. */
  readonly later: number
}

/** Two rows, to detect different rows of one period. */
const ROWS = 2
/** No `end` parameter bounds local hours exactly. Up to three days of them may be later than the last attestable hour. */
const LOCAL_HOURS = 100

/**
 * Reads a feed's newest row at EIA. If the row's period cannot have a value yet, it is logged, and the earlier rows are
 * requested. Otherwise one misplaced row would hide the feed's values until its period comes.
 *
 * @throws {EiaDoubledPeriodError} if there are different rows of the newest period.
 * @throws the errors of the EIA client.
 */
export async function readNewestRow(feed: SeriesConfig, settings: ObserveSettings): Promise<NewestRow> {
  const { eia, now, warnOnce, isClockOff, stop: signal } = settings
  const series = seriesOf(feed)
  const { feed_id, frequency } = feed
  const time = now()
  const first = await eia.listNewestRows(series, { length: ROWS, signal }).then(([row]) => row, ifDoubled)
  if (first === undefined) throw new TypeError('the client returned no row')
  if (!isOutOfPlace(first, feed, time)) return { row: assertOne(first), series, later: 0 }
  const bounded = { ...series, end: newestPeriod(frequency, time) }
  if (!isClockOff())
    warnOnce(
      feed_id,
      `EIA lists a row for ${first.period}, which cannot have a value yet: such rows are skipped; set allow_future if the feed attests forecasts`,
      'rows without a value yet',
    )
  const length = frequency === 'local-hourly' ? LOCAL_HOURS : ROWS
  const rows = await eia.listNewestRows(bounded, { length, signal }).catch(noneWhereNoRows)
  const later = rows.findIndex((row) => !isOutOfPlace(row, feed, time))
  const row = rows[later] ?? assertOne(first)
  return { row, series: bounded, later: Math.max(0, later) }
}

/** Returns whether a row is a forecast of a feed that does not attest forecasts. */
export const isOutOfPlace = (
  { period }: Pick<EiaRow, 'period'>,
  { frequency, allow_future = false }: SeriesConfig,
  now: number,
): boolean => !allow_future && isForecast(frequency, period, now)

/** Returns the error of different rows. If their period is out of place, the rows before it still count. */
function ifDoubled(error: unknown): EiaDoubledPeriodError {
  if (error instanceof EiaDoubledPeriodError) return error
  throw error
}

function assertOne(found: EiaRow | EiaDoubledPeriodError): EiaRow {
  if (found instanceof Error) throw found
  return found
}

function noneWhereNoRows(error: unknown): readonly EiaRow[] {
  if (error instanceof EiaNoRowsError) return []
  throw error
}
