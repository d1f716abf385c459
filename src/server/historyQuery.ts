import { type StaticDecode, Type } from '@sinclair/typebox'
import { InvalidArgumentError } from '../client/index.ts'
import {
  assertHistoryQuery,
  endOf,
  type HistoryQuery,
  isByPeriod,
  limitOf,
  vintageKinds,
} from '../history/historyQuery.ts'

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

const DAY_MS = 86_400_000

const MOMENT_RULE =
  'epoch milliseconds, a date like 2026-11-20 (the whole day in UTC), or a time with its zone like 2026-11-20T15:00:00Z (%2B for the + of an offset)'

/** @throws an error that the caller names by its parameter. */
function readMoment(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const [, date = '', time] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const day = new Date(`${date}T00:00:00Z`)
  // A parser may take 30 February for a day in March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) throw new Error(MOMENT_RULE)
  const ms = time === undefined ? day.getTime() + DAY_MS - 1 : Date.parse(text)
  if (!(ms >= 0)) throw new Error(MOMENT_RULE)
  return ms
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
  period_from: Type.Optional(u64('First period, as an integer.')),
  period_to: Type.Optional(u64('Last period, as an integer.')),
  as_of: Type.Optional(
    Type.Transform(
      Type.String({
        description:
          'What the chain held then: epoch milliseconds, a time with its zone, or a date (that whole day in UTC).',
        error: MOMENT_RULE,
      }),
    )
      .Decode(readMoment)
      .Encode(String),
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
export type HistoryParameters = StaticDecode<
  ReturnType<typeof Type.Object<(typeof historyParameters)['json']>>
>

/** Checks what the schema cannot: how parameters go together. @throws {InvalidArgumentError} naming parameter, value and rule. */
export function readHistoryRequest(
  { limit, pin, ...query }: HistoryParameters,
  format: HistoryFormat,
): HistoryRequest {
  assertHistoryQuery(query)
  if (pin !== undefined && query.to === undefined)
    throw new InvalidArgumentError('to', `given beside pin=${pin}: an answer that is pinned has an end`)
  const rows = limit ?? (format === 'json' ? undefined : maxLimits[format])
  return { query: rows === undefined ? query : { ...query, limit: rows }, pin: pin ?? null }
}

/** Formats the path of a page. */
export function formatHistoryPath(
  feedId: string,
  query: HistoryQuery,
  { pin, format = 'json' }: { pin?: string; format?: HistoryFormat } = {},
): string {
  const values: Readonly<Record<string, unknown>> = { ...query, pin }
  const names = Object.keys(historyParameters.json).filter((name) => values[name] !== undefined)
  const search = names.map((name) => `${name}=${values[name]}`).join('&')
  return `/v1/feeds/${encodeURIComponent(feedId)}${historySuffixes[format]}${search === '' ? '' : `?${search}`}`
}

/** Returns the query that always selects the rows that `query` selects of `count` values, if no value changes. */
export function pinnedQuery(query: HistoryQuery, count: number, indices: readonly number[]): HistoryQuery {
  const { from = 0, after, limit: _, ...rest } = query
  const end = endOf(query, count)
  if (isByPeriod(query))
    return { ...rest, ...(after === undefined ? {} : { after }), to: end, limit: limitOf(query) }
  if (indices.length > 0) return { ...rest, from: Math.min(...indices), to: Math.max(...indices) + 1 }
  const isDesc = query.order === 'desc'
  const to = isDesc && after !== undefined ? Math.min(end, after) : end
  const first = isDesc || after === undefined ? from : Math.max(from, after + 1)
  return { ...rest, from: Math.min(first, to), to }
}
