import { Type } from '@sinclair/typebox'
import type { DatasetSeries, SeriesRange } from '@wattfeed/dataset'
import { formatRangeCursor, MAX_RANGE_VALUES, parseRangeCursor } from 'wattfeed/internal'
import { oneOf } from '../../runtime/settings/textTypes.ts'
import { seriesPairs } from '../../web/site/seriesPath.ts'
import { QueryError } from '../http/strictQuery.ts'
import { type HistoryFormat, maxLimits } from './historyRequest.ts'
import { assertNoRoot, type RootParameters, rootAtOf, rootParameters } from './rootParameters.ts'
import type { FoundRange, RangeRequest } from './seriesReader.ts'

/** A form in which a range is served. */
export type RangeFormat = HistoryFormat | 'proof'

const ranges = '/v1/series/history'

export const rangePaths = {
  json: ranges,
  csv: `${ranges}.csv`,
  parquet: `${ranges}.parquet`,
  proof: `${ranges}/proof`,
} as const satisfies Record<RangeFormat, string>

/** How many values are served if the limit is left out; null for all. */
const defaultLimits: Readonly<Record<RangeFormat, number | null>> = {
  json: 100,
  csv: maxLimits.csv,
  parquet: maxLimits.parquet,
  proof: null,
}

const limitRules: Readonly<Record<RangeFormat, string>> = {
  json: 'Maximum number of values; default 100.',
  csv: 'Maximum number of values; default 5,000.',
  parquet: 'Maximum number of values; default 5,000.',
  proof: 'Maximum number of values; by default all, of which there may be 5,000.',
}

const text = (description: string, example: string) =>
  Type.Optional(
    Type.String({ minLength: 1, pattern: '^[^\\0]+$', error: 'a text', description, examples: [example] }),
  )

/** The parameters of a format besides the series, in the order of formatted paths. */
export const rangeParameters = (format: RangeFormat) => ({
  period_from: text("The first period, as EIA's text.", '2026-11-02'),
  period_to: text("The last period, as EIA's text.", '2026-11-20'),
  order: Type.Optional(
    oneOf(['asc', 'desc'] as const, {
      description:
        'Order by period. With `limit`, the values are the oldest (`asc`, the default) or the newest (`desc`).',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: format === 'proof' ? MAX_RANGE_VALUES : maxLimits[format],
      description: limitRules[format],
    }),
  ),
  ...rootParameters,
  cursor: text(
    'Where the next page starts, and by which root: from `next` of the page before.',
    '12.3f9a1c0d5b7e2468.2026-11-20',
  ),
})

/** The parameters of a request, besides the series. */
export interface RangeParameters extends RootParameters {
  period_from?: string | undefined
  period_to?: string | undefined
  order?: 'asc' | 'desc' | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

export interface RangeAsked extends RangeParameters, DatasetSeries {}

/** Returns the range that a request asks for, and by which root. @throws {QueryError} for a cursor that no server gives. */
export function readRangeRequest(asked: RangeAsked, format: RangeFormat): RangeRequest {
  const { route, frequency, column, facets, cursor: cursorText } = asked
  const { period_from = null, period_to = null, order = 'asc', limit = defaultLimits[format] } = asked
  const range: SeriesRange = { route, frequency, column, facets, period_from, period_to, order, limit }
  if (cursorText === undefined) return { range, at: rootAtOf(asked) }
  assertNoRoot(asked)
  const cursor = parseRangeCursor(cursorText)
  if (cursor === null) throw new QueryError('cursor', cursorText, 'it must be one that `next` of a page has')
  return { range: { ...range, ...boundOf(order, cursor.period) }, at: cursor, cursor: cursorText }
}

const boundOf = (order: 'asc' | 'desc', period: string): Partial<SeriesRange> =>
  order === 'asc' ? { period_from: period } : { period_to: period }

/** Returns the path of the next page of a request; null after the last. It is by the same root. */
export function nextPathOf(asked: RangeAsked, { next, index, reading }: FoundRange, format: HistoryFormat) {
  if (next === null) return null
  const cursor = formatRangeCursor({ index, root: reading.source_hash, period: next })
  return formatRangePath(format, asked, { ...asked, index: undefined, cursor })
}

/** Returns the path of the proof of a page. */
export function proofPathOf(asked: RangeAsked, { index }: FoundRange, format: HistoryFormat): string {
  const limit = asked.limit ?? defaultLimits[format] ?? undefined
  const root = asked.cursor === undefined ? { index } : {}
  return formatRangePath('proof', asked, { ...asked, limit, ...root })
}

/** Returns the path of a range of a series. */
export function formatRangePath(
  format: RangeFormat,
  series: DatasetSeries,
  parameters: RangeParameters,
): string {
  const { period_from, period_to, order, limit, index, cursor } = parameters
  const others = Object.entries({ period_from, period_to, order, limit, index, cursor }).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]),
  )
  const pairs = [...seriesPairs(series), ...others].map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  return `${rangePaths[format]}?${pairs.join('&').replaceAll('%2F', '/')}`
}
