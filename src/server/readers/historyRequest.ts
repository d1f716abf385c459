import { type StaticDecode, type TObject, Type } from '@sinclair/typebox'
import { InvalidArgumentError } from 'wattfeed'
import type { HistoryQuery } from 'wattfeed/history'
import { assertHistoryQuery, endOf, isByPeriod, limitOf, rangeOf, vintageKinds } from 'wattfeed/internal'
import { momentParameter } from '../../runtime/settings/moment.ts'
import { oneOf, textOf } from '../../runtime/settings/textTypes.ts'
import { feedIds, MAX_INDEX } from '../http/apiDocs.ts'
import { QueryError } from '../http/strictQuery.ts'

export type HistoryFormat = 'json' | 'csv' | 'parquet'

export type FileFormat = Exclude<HistoryFormat, 'json'>

/** Maximum number of rows per response. */
export const maxLimits: Record<HistoryFormat, number> = { json: 1_000, csv: 5_000, parquet: 5_000 }

export const historySuffixes = {
  json: '/history',
  csv: '/history.csv',
  parquet: '/history.parquet',
} as const satisfies Record<HistoryFormat, string>

export interface HistoryRequest {
  query: HistoryQuery
  /** Digest that the values must have; null without `pin`. */
  pin: string | null
}

/** A 64-bit integer of the chain; above 2^53 the nearest double. */
const u64 = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 2 ** 64, description, error: 'a whole number from 0 to 2^64 - 1' })

const index = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_INDEX, description })

/** `assertHistoryQuery` checks that the date exists. */
const periodBound = (description: string) =>
  textOf(
    'a whole number from 0 to 2^64 - 1, or a date like 2026-11-20',
    (text) => {
      if (text.includes('-')) return text
      return Number(text) > 2 ** 64 ? undefined : Number(text)
    },
    { pattern: '^([0-9]{1,20}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', description },
  )

/** The parameters of a format, in the order of formatted URLs. */
const parametersOf = (format: HistoryFormat) => ({
  from: Type.Optional(index('First index. Not allowed with one row per period.')),
  to: Type.Optional(index('Index after the last value to consider.')),
  after: Type.Optional(
    u64('Continue after the row with this index, or with this period if there is one row per period.'),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxLimits[format],
      description:
        format === 'json'
          ? 'Maximum number of rows; default 100, or 1,000 with both `from` and `to`.'
          : 'Maximum number of rows; default 5,000.',
    }),
  ),
  order: Type.Optional(
    oneOf(['asc', 'desc'] as const, {
      description: 'Order by index, or by period if there is one row per period.',
    }),
  ),
  period_from: Type.Optional(
    periodBound(
      'First period, as an integer of the frequency (20261120 of days, epoch seconds of hours), or as a date: the first period that starts on that day or later.',
    ),
  ),
  period_to: Type.Optional(
    periodBound(
      'Last period, as an integer of the frequency, or as a date: the last period that starts on that day or earlier.',
    ),
  ),
  as_of: Type.Optional(momentParameter('Only values that were on chain at that time')),
  vintages: Type.Optional(
    oneOf(vintageKinds, {
      description: 'All values, or the first or latest of each period. `all` is not allowed with `as_of`.',
    }),
  ),
  pin: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{16}$',
      description:
        'The 16 hex digits of a `permalink`. The response is 409 if the values differ. Requires `to`.',
      error: '16 hex digits',
    }),
  ),
})

export const historyParameters = {
  json: parametersOf('json'),
  csv: parametersOf('csv'),
  parquet: parametersOf('parquet'),
} as const satisfies Record<HistoryFormat, object>

export type HistoryParameters = StaticDecode<TObject<(typeof historyParameters)['json']>>

/** Parses a query and checks combinations of parameters. @throws {InvalidArgumentError} when a combination is invalid. */
export function readHistoryRequest(
  { pin, ...found }: HistoryParameters,
  format: HistoryFormat,
): HistoryRequest {
  const query = queryOf(found, format)
  if (pin !== undefined && query.to === undefined)
    throw new InvalidArgumentError('to', `given together with pin=${pin}, because a pinned answer has an end`)
  return { query, pin: pin ?? null }
}

const { from: _, pin: __, ...sharedParameters } = historyParameters.csv

export const historyTableParameters = {
  id: Type.Array(Type.String(), {
    ...feedIds,
    description: 'Feed id. Repeat the parameter for more feeds, with each id only once.',
  }),
  ...sharedParameters,
}

export type HistoryTableParameters = StaticDecode<TObject<typeof historyTableParameters>>

export interface HistoryTableRequest {
  feedIds: readonly string[]
  query: HistoryQuery
}

/** Parses a query and checks combinations of parameters. @throws {QueryError | InvalidArgumentError} when one is invalid. */
export function readHistoryTableRequest({ id: ids, ...found }: HistoryTableParameters): HistoryTableRequest {
  const doubled = ids.find((id, index) => ids.indexOf(id) !== index)
  if (doubled !== undefined) throw new QueryError('id', doubled, 'pass each id only once')
  return { feedIds: ids, query: queryOf(found, 'csv') }
}

function queryOf({ limit, ...query }: Omit<HistoryParameters, 'pin'>, format: HistoryFormat): HistoryQuery {
  assertHistoryQuery(query)
  const rows = limit ?? (format === 'json' ? undefined : maxLimits[format])
  return rows === undefined ? query : { ...query, limit: rows }
}

export function formatHistoryPath(
  feedId: string,
  query: HistoryQuery,
  { pin, format = 'json' }: { pin?: string; format?: HistoryFormat } = {},
): string {
  const search = formatPairs({ ...query, pin })
  return `/v1/feeds/${encodeURIComponent(feedId)}${historySuffixes[format]}${search === '' ? '' : `?${search}`}`
}

export function formatHistoryTablePath(
  { feedIds, query }: HistoryTableRequest,
  format: HistoryFormat,
): string {
  const ids = feedIds.map((id) => `id=${encodeURIComponent(id)}`)
  return `/v1${historySuffixes[format]}?${[...ids, formatPairs({ ...query })].join('&')}`
}

function formatPairs(values: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(historyParameters.json).filter((name) => values[name] !== undefined)
  return names.map((name) => `${name}=${values[name]}`).join('&')
}

/** Returns the query that always selects the rows that `query` selects of `count` values, if no value changes. */
export function pinnedQuery(query: HistoryQuery, count: number, indices: readonly number[]): HistoryQuery {
  const { from: _, after, limit: __, ...rest } = query
  const end = endOf(query, count)
  if (isByPeriod(query))
    return { ...rest, ...(after === undefined ? {} : { after }), to: end, limit: limitOf(query) }
  if (indices.length > 0) return { ...rest, from: Math.min(...indices), to: Math.max(...indices) + 1 }
  const { first, past } = rangeOf(query, count)
  return { ...rest, from: Math.min(first, past), to: past }
}
