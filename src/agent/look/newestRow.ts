import type { EiaClient } from '../../eia/createEiaClient.ts'
import { EiaNoRowsError } from '../../eia/eiaErrors.ts'
import { isForecast, newestPeriod } from '../../eia/period.ts'
import { EiaDoubledPeriodError, type EiaRow, type Series } from '../../eia/series.ts'
import { type FeedConfig, seriesOf } from '../feeds/feedConfig.ts'

/** A feed's newest row at EIA that may be attested. */
export interface NewestRow {
  readonly row: EiaRow
  /** What else is asked for: it ends with the last attestable period where EIA lists later rows. */
  readonly series: Series
}

export interface NewestRowOptions {
  eia: Pick<EiaClient, 'listNewestRows'>
  /** Epoch milliseconds. */
  now: () => number
  /** Warns of a feed, once in a run of the agent. */
  warnOnce: (feedId: string, message: string) => void
  stop: AbortSignal
}

/** Two, to see different rows of one period. */
const ROWS = 2
/** No text bounds local hours exactly: up to three days of them may be later than the last attestable one. */
const LOCAL_HOURS = 100

/**
 * Reads a feed's newest row at EIA. A row of a period for which there cannot be a value yet is reported, and the rows
 * before it are asked for: else one misplaced row would hide the feed's values until its period comes.
 *
 * @throws {EiaDoubledPeriodError} if there are different rows of the newest period.
 * @throws what the EIA client throws.
 */
export async function readNewestRow(feed: FeedConfig, options: NewestRowOptions): Promise<NewestRow> {
  const { eia, now, warnOnce, stop: signal } = options
  const series = seriesOf(feed)
  const { feed_id, frequency } = feed
  const time = now()
  const first = await eia.listNewestRows(series, { length: ROWS, signal }).then(([row]) => row, ifDoubled)
  if (first === undefined) throw new TypeError('the client gave no row')
  if (!isOutOfPlace(first, feed, time)) return { row: assertOne(first), series }
  const bounded = { ...series, end: newestPeriod(frequency, time) }
  warnOnce(
    feed_id,
    `EIA lists a row for ${first.period}, for which there cannot be a value yet: it is skipped; if the feed is one of forecasts, set allow_future`,
  )
  const length = frequency === 'local-hourly' ? LOCAL_HOURS : ROWS
  const rows = await eia.listNewestRows(bounded, { length, signal }).catch(noneWhereNoRows)
  const row = rows.find((row) => !isOutOfPlace(row, feed, time)) ?? assertOne(first)
  return { row, series: bounded }
}

/** Whether a row is a forecast, and the feed is none of forecasts. */
export const isOutOfPlace = (
  { period }: Pick<EiaRow, 'period'>,
  { frequency, allow_future = false }: FeedConfig,
  now: number,
): boolean => !allow_future && isForecast(frequency, period, now)

/** Different rows of a period that is out of place hide those before it no more than one row does. */
function ifDoubled(error: unknown): EiaDoubledPeriodError {
  if (error instanceof EiaDoubledPeriodError) return error
  throw error
}

function assertOne(found: EiaRow | EiaDoubledPeriodError): EiaRow {
  if (found instanceof EiaDoubledPeriodError) throw found
  return found
}

function noneWhereNoRows(error: unknown): readonly EiaRow[] {
  if (error instanceof EiaNoRowsError) return []
  throw error
}
