import { weekdayOf } from '../eia/holidays.ts'
import { periodBefore, startOfPeriod } from '../eia/period.ts'
import type { Attestation } from '../registry/attestation.ts'

/** How many periods before the newest are searched for gaps: 60 hours, two months of days, five years of months. */
export const GAP_LIMIT = 60

/**
 * The most values that are read to find a feed's gaps. A history has more values than periods, because revisions and late
 * values repeat the newest one: late values of 60 hours, three in each transaction, take 80.
 */
export const MAX_GAP_VALUES = 5 * GAP_LIMIT

const DAY_MS = 86_400_000
/** After so many days, every weekday that a feed has was there. */
const FORTNIGHT = 14

/** The newest values of a feed's history, oldest first. */
export interface NewestValues {
  readonly values: readonly Pick<Attestation, 'period' | 'timestamp'>[]
  /** Whether there are no older ones. */
  readonly isWhole: boolean
}

/**
 * Lists the periods, oldest first, that the chain lacks between a feed's newest values. Pure: whoever reads the same
 * values at a state root finds the same gaps.
 *
 * Periods before the feed's first value are no gaps. Of daily feeds, weekdays that do not occur within two weeks are none.
 * EIA need not have a value of a period that is listed: a market holiday looks like a gap.
 *
 * Values older than the given ones may hold more periods, but none later than the end of the first given transaction: each
 * transaction ends with the newest period so far. So nothing before that end is listed, unless the history is whole. Read
 * as many values as {@link reachesAllGaps} demands.
 *
 * @example
 * ```ts
 * listGaps('monthly', { values: await client.getValueHistory(feedId), isWhole: true }) // [202608]
 * ```
 */
export function listGaps(frequency: string, { values, isWhole }: NewestValues): readonly number[] {
  const newest = values.at(-1)
  const floor = isWhole ? values[0] : endOfFirstTransaction(values)
  if (newest === undefined || floor === undefined) return []
  const held = new Set(values.map(({ period }) => period))
  const isExpected = frequency === 'daily' ? expectedDays(held) : () => true
  return periodsBefore(frequency, newest.period, GAP_LIMIT)
    .filter((period) => period > floor.period && !held.has(period) && isExpected(period))
    .toReversed()
}

/**
 * Whether older values could not add a gap, or are too many to read: the first transaction of the values ends
 * {@link GAP_LIMIT} periods before the newest, the newest included.
 */
export function reachesAllGaps(frequency: string, { values, isWhole }: NewestValues): boolean {
  if (isWhole || values.length >= MAX_GAP_VALUES) return true
  const newest = values.at(-1)
  const floor = endOfFirstTransaction(values)
  if (newest === undefined || floor === undefined || values.length < GAP_LIMIT) return false
  const before = periodsBefore(frequency, newest.period, GAP_LIMIT - 1)
  return before.every((period) => period >= floor.period)
}

/** Values of one transaction have the time of its block. */
const endOfFirstTransaction = (values: NewestValues['values']) =>
  values.findLast(({ timestamp }) => timestamp === values[0]?.timestamp)

/** The periods directly before another one, newest first. */
function periodsBefore(frequency: string, period: number, count: number): readonly number[] {
  const periods: number[] = []
  let before = periodBefore(frequency, period)
  while (before !== null && periods.length < count) {
    periods.push(before)
    before = periodBefore(frequency, before)
  }
  return periods
}

/** Tells which days a daily feed should have, by the weekdays of those that it has. */
function expectedDays(held: ReadonlySet<number>): (period: number) => boolean {
  const dayOf = (period: number): number => (startOfPeriod('daily', period) ?? Number.NaN) / DAY_MS
  const days = [...held].map(dayOf).filter((day) => !Number.isNaN(day))
  const weekdays = new Set(days.map(weekdayOf))
  const isKnown = Math.max(...days) - Math.min(...days) >= FORTNIGHT
  return (period) => !isKnown || weekdays.has(weekdayOf(dayOf(period)))
}
