import { Type } from '@sinclair/typebox'
import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import { coverageOf, describePeriod } from '@wattfeed/eia'
import type { Snapshot } from 'wattfeed'
import { assertHistoryQuery, isDatasetFeed } from 'wattfeed/internal'
import type { HistoryItemBody } from '../../api/schemas.ts'
import type { ChartPoint } from '../../web/chart/drawChart.ts'
import { feedUrl } from '../../web/cite/addresses.ts'
import { comparedText } from '../../web/cite/embedFacts.ts'
import { formatExact } from '../../web/cite/formatExact.ts'
import { feedHref } from '../../web/site/feedPath.ts'
import { showId, textsOf } from '../feedTexts.ts'
import { readReading } from '../notFound.ts'
import type { HistoryReaders } from '../readers/historyReaders.ts'
import { historyParameters, maxLimits } from '../readers/historyRequest.ts'
import { readRows } from '../readers/readRows.ts'
import type { Server } from '../server.ts'
import type { EmbeddedChart } from './embedPage.ts'

const DEFAULT_PERIODS = 120

export const chartRange = {
  periods: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: maxLimits.json,
      description: `Number of periods, counted from the newest; default ${DEFAULT_PERIODS}.`,
    }),
  ),
  period_from: historyParameters.json.period_from,
  period_to: historyParameters.json.period_to,
}

export interface ChartRange {
  readonly periods?: number | undefined
  readonly period_from?: number | string | undefined
  readonly period_to?: number | string | undefined
}

/** What {@link readChart} reads through. */
export interface ChartSources extends Pick<HistoryReaders, 'readHistory'>, Pick<Server, 'site'> {}

/** What a chart of a feed shows, at one state root. */
export type FeedChart = EmbeddedChart

/**
 * Reads the chart of a feed, with the limits and the queue of the histories.
 *
 * @throws {FeedNotFoundError} when the feed is not registered, or has no value.
 */
export async function readChart(
  { readHistory, site }: ChartSources,
  at: Snapshot,
  feedId: string,
  { periods = DEFAULT_PERIODS, ...bounds }: ChartRange,
): Promise<FeedChart> {
  assertHistoryQuery(given(bounds))
  const reading = await readReading(at, feedId)
  const { frequency, decimals, period, amount, updated_at } = reading
  const { title, unit } = textsOf(reading)
  const period_start = coverageOf(reading, period)?.start ?? null
  // Periods of an unknown frequency have no time, but their attestations do.
  const isStepped = period_start === null
  const newestFirst = { order: 'desc', limit: periods } as const
  const query = isStepped ? newestFirst : { ...newestFirst, vintages: 'latest' as const, ...given(bounds) }
  const { rows } = await readRows(readHistory, at, feedId, query)
  const pointOf = (row: Pick<HistoryItemBody, 'period' | 'period_start' | 'amount' | 'attested_at'>) => ({
    at: isStepped ? row.attested_at : Date.parse(row.period_start ?? ''),
    value: formatExact(BigInt(row.amount), decimals),
    period: describePeriod(reading, row.period).words,
  })
  const compared = { title: comparedText(reading.title), unit: comparedText(reading.unit) }
  return {
    // An id such as `..` has no page.
    href: feedHref(feedId) === null ? null : feedUrl('', feedId),
    attestedAt: updated_at,
    shown: { feedId, amount: String(amount), period, decimals, ...compared },
    proof: `/v1/feeds/${encodeURIComponent(feedId)}/proof`,
    title: title.trim() === '' ? showId(feedId) : title,
    unit: isDatasetFeed(reading) ? 'values in the dataset' : unit,
    points: rows.map(pointOf).filter(isDrawn).reverse(),
    newest: pointOf({ period, period_start, amount: String(amount), attested_at: updated_at }),
    maxStepMs: isStepped ? null : (maxSteps[frequency] ?? null),
    isStepped,
    caption: captionOf(site),
  }
}

/** The source of a chart. */
export const captionOf = ({ isPublicChain }: Server['site']): string =>
  isPublicChain
    ? 'wattfeed · attested on the Casper blockchain'
    : 'wattfeed · invented figures of a development chain'

const isDrawn = ({ at }: ChartPoint): boolean => Number.isFinite(at)

/** Returns the bounds that are given. */
const given = ({ period_from, period_to }: ChartRange) => ({
  ...(period_from === undefined ? {} : { period_from }),
  ...(period_to === undefined ? {} : { period_to }),
})

/** The longest time between two periods without a missing one. Days have weekends and holidays. */
export const maxSteps: Readonly<Record<string, number>> = {
  hourly: HOUR_MS,
  'local-hourly': 2 * HOUR_MS,
  daily: 5 * DAY_MS,
  weekly: 8 * DAY_MS,
  'four-week-average': 8 * DAY_MS,
  monthly: 31 * DAY_MS,
  quarterly: 92 * DAY_MS,
  annual: 366 * DAY_MS,
}
