import { Type } from '@sinclair/typebox'
import type { DatasetSeries, SeriesRange } from '@wattfeed/dataset'
import { endsOfText } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import type { Snapshot } from 'wattfeed'
import type { RootAt } from 'wattfeed/internal'
import type { ChartPoint } from '../../web/chart/drawChart.ts'
import { rangeProofUrl, seriesPageUrl } from '../../web/cite/addresses.ts'
import { formatValues } from '../../web/cite/embedFacts.ts'
import { numberOf } from '../../web/cite/numberOf.ts'
import { seriesTitle } from '../../web/site/seriesPath.ts'
import { clip } from '../feedTexts.ts'
import { defineHttpError } from '../http/httpError.ts'
import type { SeriesReader } from '../readers/seriesReader.ts'
import type { Server } from '../server.ts'
import type { EmbeddedChart } from './embedPage.ts'
import { captionOf, maxSteps } from './feedChart.ts'

const NothingDrawnError = defineHttpError(
  'NothingDrawnError',
  'nothing_drawn',
  (facts: { route: string }) =>
    `the chosen values of the series of ${JSON.stringify(facts.route)} are not numbers with a time, so that no chart shows them; choose other periods`,
  { status: 404 },
)

const DEFAULT_PERIODS = 120

/** The page has the values, to compare them with the proof, and at most 40 kB. */
export const seriesPeriods = Type.Optional(Type.Integer({ minimum: 2, maximum: 500 }))

const MAX_TITLE = 200
const MAX_TEXT = 40

/** What a chart of a series shows. */
export interface SeriesChartQuery extends DatasetSeries {
  readonly periods?: number | undefined
  readonly period_from?: string | undefined
  readonly period_to?: string | undefined
  /** The root that answers; null for the newest whose files are there. */
  readonly at: RootAt | null
}

/** Reads the chart of a series: the values that are numbers in the unit of the newest one. */
export async function readSeriesChart(
  { reader, site }: { reader: SeriesReader } & Pick<Server, 'site'>,
  snapshot: Snapshot,
  query: SeriesChartQuery,
): Promise<EmbeddedChart> {
  const { route, frequency, column, facets, at, periods = DEFAULT_PERIODS } = query
  const series = { route, frequency, column, facets }
  const range: SeriesRange = {
    ...series,
    period_from: query.period_from ?? null,
    period_to: query.period_to ?? null,
    order: 'desc',
    limit: periods,
  }
  const { leaves, reading, index } = await reader.readRange(snapshot, { range, at })
  const unit = leaves.at(-1)?.unit ?? null
  const points = leaves.flatMap((leaf): ChartPoint[] => {
    const start = Date.parse(endsOfText(leaf, leaf.period).period_start ?? '')
    if (leaf.unit !== unit || leaf.value === null || numberOf(leaf.value) === null || Number.isNaN(start))
      return []
    return [{ at: start, value: leaf.value, period: clip(leaf.period, MAX_TEXT) }]
  })
  const newest = points.at(-1)
  if (newest === undefined) throw new NothingDrawnError({ route })
  const root = at === null ? null : index
  return {
    title: clip(seriesTitle(findDataset(route)?.name ?? route, series), MAX_TITLE),
    unit: clip(unit ?? '', MAX_TEXT),
    points,
    newest,
    maxStepMs: maxSteps[frequency] ?? null,
    isStepped: false,
    caption: captionOf(site),
    href: seriesPageUrl('', series, root === null ? null : new Date(reading.updated_at).toISOString()),
    attestedAt: reading.updated_at,
    shown: { range, index: root, root: reading.source_hash, values: formatValues(leaves) },
    proof: rangeProofUrl('', { range, index: root }),
  }
}
