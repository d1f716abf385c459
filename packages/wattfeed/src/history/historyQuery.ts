import { assertOptions, DAY_MS, InvalidArgumentError, type OptionNames } from '@wattfeed/base'
import {
  type DatedSeries,
  encodePeriodStart,
  formatPeriod,
  leadOf,
  parsePeriodStart,
  scaleOfPeriod,
} from '@wattfeed/eia'
import { assertIndex } from '../client/argument.ts'

/** Which attestations of a period to return: all, the first print, or the latest. */
export const vintageKinds = ['all', 'first', 'latest'] as const

/** Selects a part of a feed's history. All bounds are optional and can be combined. */
export interface HistoryQuery {
  /**
   * First index; only for `vintages: 'all'`.
   * @default 0
   */
  readonly from?: number
  /**
   * Index after the last one.
   * @default the number of the feed's values
   */
  readonly to?: number
  /** Continues after this row: its index; or its period, if the query returns one row per period. */
  readonly after?: number
  /**
   * Maximum number of rows, from 1 to 1000.
   * @default 100, or 1000 if both `from` and `to` are set
   */
  readonly limit?: number
  /**
   * Order of the rows by index; or by period, if the query returns one row per period.
   * @default 'asc'
   */
  readonly order?: 'asc' | 'desc'
  /** First period, as an integer of the feed's frequency. Or a date such as `2026-11-01`: the first period that starts on that day or later. */
  readonly period_from?: number | string
  /** Last period, as an integer of the feed's frequency. Or a date: the last period that starts on that day or earlier. */
  readonly period_to?: number | string
  /** Returns one row per period: the value on chain at this time, in epoch milliseconds (inclusive), of 12 or 13 digits. */
  readonly as_of?: number
  /**
   * Which attestations of a period to return: all, its first print, or its latest.
   * @default 'latest' with `as_of`, otherwise 'all'
   */
  readonly vintages?: (typeof vintageKinds)[number]
}

/** A query whose periods are integers. */
export interface IntegerQuery extends HistoryQuery {
  readonly period_from?: number
  readonly period_to?: number
}

/**
 * Returns the query with dates replaced by periods of a feed.
 *
 * @param feed - with its newest period, if it has one: a dataset whose dates no rule explains is judged by its weekday
 * @throws {@link InvalidArgumentError} when it names a date and the frequency is not one of EIA's, or an integer of another scale.
 */
export function resolvePeriods(query: HistoryQuery, feed: DatedFeed): IntegerQuery {
  const { period_from, period_to, ...rest } = query
  assertScale('period_from', period_from, feed)
  assertScale('period_to', period_to, feed)
  const { frequency, period = Number.NaN } = feed
  /** The last period that starts before a moment. */
  const lastBefore = (argument: string, ms: number): number => {
    const last = encodePeriodStart(frequency, ms + leadOf(feed, period) - 1)
    if (last !== null) return Math.floor(last)
    throw new InvalidArgumentError(
      argument,
      `an integer, because periods of the frequency "${frequency}" have no dates`,
    )
  }
  const first =
    typeof period_from === 'string' ? lastBefore('period_from', startOfDay(period_from)) + 1 : period_from
  const last =
    typeof period_to === 'string' ? lastBefore('period_to', startOfDay(period_to) + DAY_MS) : period_to
  return {
    ...rest,
    ...(first === undefined ? {} : { period_from: first }),
    ...(last === undefined ? {} : { period_to: last }),
  }
}

/** A feed with its newest period, if it has one. */
type DatedFeed = DatedSeries & { readonly period?: number }

/** Returns whether an integer is written as the frequency's periods, or as the newest of a feed that has others. */
function isOfScale(integer: number, { frequency, period }: DatedFeed): boolean {
  const { digits } = scaleOfPeriod(frequency) ?? {}
  const length = String(integer).length
  return digits === undefined || length === digits || length === String(period).length
}

function assertScale(argument: string, bound: number | string | undefined, feed: DatedFeed): void {
  if (typeof bound !== 'number' || isOfScale(bound, feed)) return
  const { digits, form } = scaleOfPeriod(feed.frequency) ?? {}
  throw new InvalidArgumentError(
    argument,
    `${form} (${digits} digits), not ${bound}, because the feed is ${feed.frequency}`,
  )
}

/**
 * @param values - of the feed; one of them may have any period, which the query of the next page then names
 * @throws {@link InvalidArgumentError} when the query continues after a period of another scale.
 */
export function assertAfter(
  query: HistoryQuery,
  feed: DatedFeed,
  values: readonly { readonly period: number }[],
): void {
  const { after } = query
  if (isByPeriod(query) && !values.some(({ period }) => period === after)) assertScale('after', after, feed)
}

const startOfDay = (date: string): number => parsePeriodStart('daily', date)

/** Maximum number of rows of a page. */
const MAX_LIMIT = 1_000

const DEFAULT_LIMIT = 100

/** Returns whether the query returns one row per period. */
export const isByPeriod = ({ as_of, vintages }: HistoryQuery): boolean =>
  as_of !== undefined || (vintages ?? 'all') !== 'all'

/** Returns the maximum number of rows of the query's page. */
export const limitOf = ({ from, to, limit }: HistoryQuery): number =>
  limit ?? (from !== undefined && to !== undefined ? MAX_LIMIT : DEFAULT_LIMIT)

/** Returns the index after the last value that the query may select, of `count` values. */
export const endOf = ({ to }: HistoryQuery, count: number): number => Math.min(to ?? count, count)

/** Returns the indices that the query may select of `count` values; `past` is exclusive. */
export function rangeOf(query: HistoryQuery, count: number): { first: number; past: number } {
  const { from = 0, after, order } = query
  const end = endOf(query, count)
  if (after === undefined) return { first: from, past: end }
  return order === 'desc'
    ? { first: from, past: Math.min(end, after) }
    : { first: Math.max(from, after + 1), past: end }
}

/** Returns the number of rows of the page; 0 if it depends on the values. */
export function certainRows(query: HistoryQuery, count: number): number {
  if (isByPeriod(query) || query.period_from !== undefined || query.period_to !== undefined) return 0
  const { first, past } = rangeOf(query, count)
  return Math.min(Math.max(0, past - first), limitOf(query))
}

/** Returns how many of the first values the page needs, because revisions are counted from a period's first print. */
export function neededValues(query: HistoryQuery, count: number): number {
  const { from = 0, after = -1, order, period_from, period_to } = query
  const end = endOf(query, count)
  const isRange = order !== 'desc' && period_from === undefined && period_to === undefined
  return isRange && !isByPeriod(query) ? Math.min(end, Math.max(from, after + 1) + limitOf(query)) : end
}

/** The names of {@link HistoryQuery}. */
export const historyQueryNames: OptionNames<HistoryQuery> = {
  from: 1,
  to: 1,
  after: 1,
  limit: 1,
  order: 1,
  period_from: 1,
  period_to: 1,
  as_of: 1,
  vintages: 1,
}

/** @throws {@link InvalidArgumentError} for the first field that is unknown, invalid or contradicts another. */
export function assertHistoryQuery(query: HistoryQuery): void {
  assertOptions(query, historyQueryNames, 'query')
  const { from, to, after, limit, order = 'asc', period_from, period_to, as_of, vintages } = query
  const isPeriodWanted = isByPeriod(query)
  if (from !== undefined) assertIndex('from', from)
  if (to !== undefined) assertIndex('to', to)
  assertBound('period_from', period_from)
  assertBound('period_to', period_to)
  if (after !== undefined && !isPeriodWanted) assertIndex('after', after)
  assertPeriod('after', after)
  assertPeriod('as_of', as_of, 'epoch milliseconds, at least 0')
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw new InvalidArgumentError('limit', `an integer from 1 to ${MAX_LIMIT}, not ${limit}`)
  assertOneOf('order', order, ['asc', 'desc'])
  assertOneOf('vintages', vintages ?? 'all', vintageKinds)
  if (as_of !== undefined && vintages === 'all')
    throw new InvalidArgumentError('vintages', "'first' or 'latest' with as_of, not 'all'")
  if (from !== undefined && isPeriodWanted)
    throw new InvalidArgumentError(
      'from',
      `omitted, not ${from}, when the query returns one row per period; use after`,
    )
  if (from !== undefined && to !== undefined && from > to)
    throw new InvalidArgumentError('from', `at most to (${to}), not ${from}`)
  if (
    period_from !== undefined &&
    period_to !== undefined &&
    typeof period_from === typeof period_to &&
    period_from > period_to
  )
    throw new InvalidArgumentError('period_from', `at most period_to (${period_to}), not ${period_from}`)
}

// Periods are u64 on chain: above 2^53 the nearest double.
function assertPeriod(argument: string, value: number | undefined, rule = 'an integer of at least 0'): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= 0))
    throw new InvalidArgumentError(argument, `${rule}, not ${value}`)
}

function assertBound(argument: string, value: number | string | undefined): void {
  if (typeof value !== 'string') assertPeriod(argument, value)
  else if (formatPeriod('daily', Number(value.replaceAll('-', ''))) !== value)
    throw new InvalidArgumentError(argument, `an integer, or a date like 2026-11-20, not ${value}`)
}

function assertOneOf(argument: string, value: string, values: readonly string[]): void {
  if (!values.includes(value))
    throw new InvalidArgumentError(argument, `${values.join(' or ')}, not ${value}`)
}

/** Returns whether the periods of a frequency are hours, whose integers are epoch seconds. */
export const isHourly = (frequency: string): boolean => frequency === 'hourly' || frequency === 'local-hourly'
