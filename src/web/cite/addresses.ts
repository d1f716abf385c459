import type { DatasetSeries, SeriesQuery, SeriesRange } from '@wattfeed/dataset'
import { SERIES_PATH, seriesPairs } from '../site/seriesPath.ts'
import { type TableRows, tablePairs } from '../site/tablePath.ts'

/** Percent-encodes a text, also `!'()*~`, which encodeURIComponent leaves and shells or Markdown interpret. */
export const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** @param index of a past value; null for the newest one */
export function proofUrl(origin: string, feedId: string, index: number | null): string {
  const path = index === null ? 'proof' : `history/${index}/proof`
  return `${origin}/v1/feeds/${encodePart(feedId)}/${path}`
}

export const feedUrl = (origin: string, feedId: string): string =>
  `${origin}/explorer/feeds/${encodePart(feedId)}`

export const embedUrl = (origin: string, feedId: string): string =>
  `${origin}/embed/feeds/${encodePart(feedId)}`

type Parts = Readonly<Record<string, string | number | null | undefined>>

/** Formats the query that names a series, and other parts; null and undefined leave one out. */
function seriesQueryOf(series: DatasetSeries, parts: Parts): string {
  const others = Object.entries(parts).flatMap(([name, value]) =>
    value == null ? [] : [[name, String(value)]],
  )
  return [...seriesPairs(series), ...others].map((pair) => pair.map(encodePart).join('=')).join('&')
}

/** The address of the codes of a facet of a dataset. */
export const codesUrl = (
  origin: string,
  facet: { route: string; frequency: string; facet: string },
): string => `${origin}/v1/datasets/codes?${new URLSearchParams(facet)}`

/** The address of a series of a dataset. */
export const seriesUrl = (origin: string, query: SeriesQuery): string =>
  `${origin}/v1/series?${seriesQueryOf(query, { period: query.period })}`

/** The address of the proof of what a dataset says about a series. */
export const seriesProofUrl = (origin: string, query: SeriesQuery): string =>
  `${origin}/v1/series/proof?${seriesQueryOf(query, { period: query.period })}`

/** The address of a range of values of a series: as JSON, or as a file. */
export const rangeUrl = (
  origin: string,
  { route, frequency, column, facets, ...selection }: RangeAddress,
  format: '' | '.csv' | '.parquet' = '',
): string =>
  `${origin}/v1/series/history${format}?${seriesQueryOf({ route, frequency, column, facets }, selection)}`

interface RangeAddress extends DatasetSeries, Partial<Omit<SeriesRange, keyof DatasetSeries>> {
  /** ISO 8601: the newest root that was attested up to then. */
  readonly as_of?: string | null
  /** Of the attestation of the root. */
  readonly index?: number | null
}

/** The address of the proof of a range of values. */
export function rangeProofUrl(
  origin: string,
  { range, index }: { readonly range: SeriesRange; readonly index: number | null },
): string {
  const { period_from, period_to, order, limit } = range
  return `${origin}/v1/series/history/proof?${seriesQueryOf(range, { period_from, period_to, order, limit, index })}`
}

/** The address of the page of a series. @param asOf ISO 8601; null for now */
export const seriesPageUrl = (origin: string, series: DatasetSeries, asOf: string | null = null): string =>
  `${origin}${SERIES_PATH}?${seriesQueryOf(series, { as_of: asOf })}`

/** The address of the chart of a series for other pages. @param asOf ISO 8601; null for now */
export const seriesEmbedUrl = (origin: string, series: DatasetSeries, asOf: string | null = null): string =>
  `${origin}/embed/series?${seriesQueryOf(series, { as_of: asOf })}`

/** The address of the rows of a dataset, the newest periods first: as JSON, or as a file. */
export function tableUrl(
  origin: string,
  asked: Pick<TableRows, 'route' | 'frequency' | 'columns' | 'facets'> & { readonly limit: number | null },
  format: '' | '.csv' | '.parquet' = '',
): string {
  const query = new URLSearchParams(tablePairs({ ...asked, from: null, to: null, sort: ['-period'] }))
  if (asked.limit !== null) query.append('limit', String(asked.limit))
  return `${origin}/v1/series/table${format}?${query}`
}
