import { type StaticDecode, type TObject, Type } from '@sinclair/typebox'
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
import { textOf } from '../runtime/textTypes.ts'
import { feedIds } from './apiDocs.ts'
import { QueryError } from './plugins/query.ts'

/** The forms in which a feed's history is served. */
export type HistoryFormat = 'json' | 'csv' | 'parquet'

/** The most rows of an answer. */
const maxLimits: Record<HistoryFormat, number> = { json: 1_000, csv: 5_000, parquet: 5_000 }

/** What follows the id in the path of each form. */
export const historySuffixes = {
  json: '/history',
  csv: '/history.csv',
  parquet: '/history.parquet',
} as const satisfies Record<HistoryFormat, string>

/** What a request asks of a feed's history. */
export interface HistoryRequest {
  query: HistoryQuery
  /** The digest that the answer must have; null if it may have any. */
  pin: string | null
}

const MAX_INDEX = 999_999_999_999_999

/** An integer of the chain: above 2^53 the nearest double. */
const u64 = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 2 ** 64, description, error: 'a whole number from 0 to 2^64 - 1' })

const index = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_INDEX, description })

/** Whether a date exists is checked with the other rules of a query. */
const periodBound = (description: string) =>
  textOf(
    'a whole number from 0 to 2^64 - 1, or a date like 2026-11-20',
    (text) => {
      if (text.includes('-')) return text
      return Number(text) > 2 ** 64 ? undefined : Number(text)
    },
    { pattern: '^([0-9]{1,20}|[0-9]{4}-[0-9]{2}-[0-9]{2})$', description },
  )

const DAY_MS = 86_400_000

const MOMENT_RULE =
  'epoch milliseconds, a date like 2026-11-20 (the whole day in UTC), or a time with its zone like 2026-11-20T15:00:00Z (%2B for the + of an offset)'

/** Returns epoch milliseconds; undefined if the text breaks the rule. */
function readMoment(text: string): number | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const [, date = '', time] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const day = new Date(`${date}T00:00:00Z`)
  // A parser may take 30 February for a day in March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined
  const ms = time === undefined ? day.getTime() + DAY_MS - 1 : Date.parse(text)
  return ms >= 0 ? ms : undefined
}

const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value as T[number])),
    { description },
  )

/** The parameters of each form, in the order in which addresses name them. */
const parametersOf = (format: HistoryFormat) => ({
  from: Type.Optional(index('First index; not where there is one row a period.')),
  to: Type.Optional(index('Index after the last value that is looked at.')),
  after: Type.Optional(
    u64('Continues after this row: its index, or its period where there is one row a period.'),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxLimits[format],
      description:
        format === 'json'
          ? 'Rows at most; 100 if left out, 1,000 with both `from` and `to`.'
          : 'Rows at most; 5,000 if left out.',
    }),
  ),
  order: Type.Optional(oneOf(['asc', 'desc'], 'By index, or by period where there is one row a period.')),
  period_from: Type.Optional(
    periodBound('First period, as an integer; or a date: the first period that starts on that day or later.'),
  ),
  period_to: Type.Optional(
    periodBound('Last period, as an integer; or a date: the last period that starts on that day or earlier.'),
  ),
  as_of: Type.Optional(
    textOf(MOMENT_RULE, readMoment, {
      description:
        'What the chain held then: epoch milliseconds, a time with its zone, or a date (that whole day in UTC).',
    }),
  ),
  vintages: Type.Optional(
    oneOf(vintageKinds, 'Every value, or each period’s first or latest; with `as_of` not `all`.'),
  ),
  pin: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{16}$',
      description: '16 hex digits of a `permalink`: the answer is the pinned one, or 409. Needs `to`.',
      error: '16 hex digits',
    }),
  ),
})

/** The parameters of each form. */
export const historyParameters = {
  json: parametersOf('json'),
  csv: parametersOf('csv'),
  parquet: parametersOf('parquet'),
} as const satisfies Record<HistoryFormat, object>

/** The parsed parameters. */
export type HistoryParameters = StaticDecode<TObject<(typeof historyParameters)['json']>>

/** Checks what the schema cannot: how parameters go together. @throws {InvalidArgumentError} naming parameter, value and rule. */
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

/** The parameters of tables of several feeds. */
export const historyTableParameters = {
  id: Type.Array(Type.String(), { ...feedIds, description: 'A feed id, repeated for each; no id twice.' }),
  ...sharedParameters,
}

/** The parsed parameters of tables of several feeds. */
export type HistoryTableParameters = StaticDecode<TObject<typeof historyTableParameters>>

/** What a request asks of several feeds' histories, in one table. */
export interface HistoryTableRequest {
  feedIds: readonly string[]
  query: HistoryQuery
}

/** Checks what the schema cannot. @throws {QueryError | InvalidArgumentError} as {@link readHistoryRequest} does. */
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
