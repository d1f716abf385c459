import { InvalidArgumentError } from '../client/index.ts'
import {
  assertHistoryQuery,
  endOf,
  type HistoryQuery,
  isByPeriod,
  limitOf,
  vintageKinds,
} from '../history/historyQuery.ts'
import { integer, oneOf, type Parse } from '../runtime/parsers.ts'
import { urlQuery } from './url.ts'

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
  limit: integer(1, 1_000),
  order: oneOf(['asc', 'desc']),
  period_from: u64,
  period_to: u64,
  as_of: moment,
  vintages: oneOf(vintageKinds),
  pin: digest,
} as const

function parser<T>(rule: string, read: (text: string) => T | undefined): Parse<T> {
  const parse = (text: string): T => {
    const value = read(text)
    if (value === undefined) throw new Error(rule)
    return value
  }
  return Object.assign(parse, { rule })
}

/** Parses the query of a request's URL. @throws {InvalidArgumentError} naming parameter, value and rule. */
export function parseHistoryRequest(url: string): HistoryRequest {
  const { pin = null, ...query } = parseParameters(urlQuery(url), parameters)
  assertHistoryQuery(query)
  if (pin !== null && query.to === undefined)
    throw new InvalidArgumentError('to', `given beside pin=${pin}: an answer that is pinned has an end`)
  return { query, pin }
}

type Parsed<P> = { -readonly [K in keyof P]?: P[K] extends Parse<infer T> ? T : never }

const MAX_SHOWN_LENGTH = 80

const shown = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN_LENGTH))

function parseParameters<P extends Readonly<Record<string, Parse<unknown>>>>(
  query: string,
  known: P,
): Parsed<P> {
  const found = new Map<string, unknown>()
  for (const [name, text] of pairsOf(query)) {
    const parse = Object.hasOwn(known, name) ? known[name] : undefined
    if (parse === undefined)
      throw new InvalidArgumentError('the query', `of ${Object.keys(known).join(', ')}, not ${shown(name)}`)
    if (found.has(name)) throw new InvalidArgumentError(name, `given once, not also as ${shown(text)}`)
    try {
      found.set(name, parse(text))
    } catch {
      throw new InvalidArgumentError(name, `${parse.rule}, not ${shown(text)}`)
    }
  }
  return Object.fromEntries(found) as Parsed<P>
}

function pairsOf(query: string): [name: string, value: string][] {
  const pairs = query.split('&').filter((pair) => pair !== '')
  return pairs.map((pair) => {
    const [name = '', ...rest] = pair.replaceAll('+', ' ').split('=')
    try {
      return [decodeURIComponent(name), decodeURIComponent(rest.join('='))]
    } catch {
      throw new InvalidArgumentError('the query', `percent-encoded UTF-8, not ${shown(pair)}`)
    }
  })
}

/** Formats the path of a page. */
export function formatHistoryPath(feedId: string, query: HistoryQuery, pin: string | null = null): string {
  const values: Readonly<Record<string, unknown>> = { ...query, ...(pin === null ? {} : { pin }) }
  const names = Object.keys(parameters).filter((name) => values[name] !== undefined)
  const search = names.map((name) => `${name}=${values[name]}`).join('&')
  return `/v1/feeds/${encodeURIComponent(feedId)}/history${search === '' ? '' : `?${search}`}`
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
