import { InvalidArgumentError } from '../client/index.ts'
import {
  assertHistoryQuery,
  endOf,
  type HistoryQuery,
  isByPeriod,
  limitOf,
  rangeOf,
  vintageKinds,
} from '../history/historyQuery.ts'
import { integer, oneOf, type Parse, parser } from '../runtime/parsers.ts'
import { assertFeedIds, feedIds, parseQuery, QueryError } from './query.ts'
import { HISTORY_SUFFIX } from './url.ts'

/** The forms in which a feed's history is served. */
export type HistoryFormat = 'json' | 'csv' | 'parquet'

/** The most rows of an answer. */
const maxLimits: Record<HistoryFormat, number> = { json: 1_000, csv: 5_000, parquet: 5_000 }

/** What follows the id in the path of each form. */
export const historySuffixes: Record<HistoryFormat, string> = {
  json: HISTORY_SUFFIX,
  csv: `${HISTORY_SUFFIX}.csv`,
  parquet: `${HISTORY_SUFFIX}.parquet`,
}

/** What a request asks of a feed's history. */
export interface HistoryRequest {
  query: HistoryQuery
  /** The digest that the answer must have; null if it may have any. */
  pin: string | null
}

const MAX_INDEX = 999_999_999_999_999

/** An integer of the chain: above 2^53 the nearest double. */
const u64: Parse<number> = parser('a whole number from 0 to 2^64 - 1', (text) =>
  /^\d{1,20}$/.test(text) && Number(text) <= 2 ** 64 ? Number(text) : undefined,
)

/** Whether a date exists is checked with the other rules of a query. */
const periodBound: Parse<number | string> = parser(`${u64.rule}, or a date like 2026-11-20`, (text) =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? text : u64(text),
)

const DAY_MS = 86_400_000

const moment: Parse<number> = parser(
  'epoch milliseconds, a date like 2026-11-20 (the whole day in UTC), or a time with its zone like 2026-11-20T15:00:00Z (%2B for the + of an offset)',
  (text) => {
    if (/^\d{1,15}$/.test(text)) return Number(text)
    const [, date = '', time] =
      /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
    const day = new Date(`${date}T00:00:00Z`)
    // A parser may take 30 February for a day in March.
    if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined
    const ms = time === undefined ? day.getTime() + DAY_MS - 1 : Date.parse(text)
    return ms >= 0 ? ms : undefined
  },
)

const digest: Parse<string> = parser('16 hex digits', (text) =>
  /^[0-9a-f]{16}$/.test(text) ? text : undefined,
)

/** The parameters in the order in which addresses name them. */
const parameters = {
  from: integer(0, MAX_INDEX),
  to: integer(0, MAX_INDEX),
  after: u64,
  limit: integer(1, maxLimits.json),
  order: oneOf(['asc', 'desc']),
  period_from: periodBound,
  period_to: periodBound,
  as_of: moment,
  vintages: oneOf(vintageKinds),
  pin: digest,
} as const

/** Parses the query of a request's URL. @throws {QueryError | InvalidArgumentError} naming parameter, value and rule. */
export function parseHistoryRequest(url: string, format: HistoryFormat): HistoryRequest {
  const { pin, ...found } = parseQuery(url, { ...parameters, limit: integer(1, maxLimits[format]) })
  const query = queryOf(found, format)
  if (pin !== null && query.to === undefined)
    throw new InvalidArgumentError('to', `given beside pin=${pin}: an answer that is pinned has an end`)
  return { query, pin }
}

const { from: _, pin: __, ...tableParameters } = parameters

/** What a request asks of several feeds' histories, in one table. */
export interface HistoryTableRequest {
  feedIds: readonly string[]
  query: HistoryQuery
}

/** Parses the query of a request's URL. @throws {QueryError | InvalidArgumentError} as {@link parseHistoryRequest} does. */
export function parseHistoryTableRequest(url: string): HistoryTableRequest {
  const { id: ids, ...found } = parseQuery(url, {
    id: feedIds,
    ...tableParameters,
    limit: integer(1, maxLimits.csv),
  })
  assertFeedIds(ids)
  const doubled = ids.find((id, index) => ids.indexOf(id) !== index)
  if (doubled !== undefined) throw new QueryError('id', doubled, 'give each id once')
  return { feedIds: ids, query: queryOf(found, 'csv') }
}

function queryOf(
  { limit, ...found }: Readonly<Record<string, unknown>> & { limit: number | null },
  format: HistoryFormat,
): HistoryQuery {
  const query: HistoryQuery = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null))
  assertHistoryQuery(query)
  const rows = limit ?? (format === 'json' ? null : maxLimits[format])
  return rows === null ? query : { ...query, limit: rows }
}

/** Formats the path of a page. */
export function formatHistoryPath(
  feedId: string,
  query: HistoryQuery,
  { pin, format = 'json' }: { pin?: string; format?: HistoryFormat } = {},
): string {
  const search = formatPairs({ ...query, pin })
  return `/v1/feeds/${encodeURIComponent(feedId)}${historySuffixes[format]}${search === '' ? '' : `?${search}`}`
}

/** Formats the path of a page of several feeds. */
export function formatHistoryTablePath(
  { feedIds, query }: HistoryTableRequest,
  format: HistoryFormat,
): string {
  const ids = feedIds.map((id) => `id=${encodeURIComponent(id)}`)
  return `/v1${historySuffixes[format]}?${[...ids, formatPairs({ ...query })].join('&')}`
}

function formatPairs(values: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(parameters).filter((name) => values[name] !== undefined)
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
