import { DAY_MS } from '@wattfeed/base'
import { periodBefore, startOfPeriod, weekdayOf } from '@wattfeed/eia'
import type { Attestation } from 'wattfeed'

/** Number of periods before the newest to check for gaps: 60 hours, two months of days, five years of months. */
export const GAP_LIMIT = 60

/**
 * Maximum number of values to read for a feed's gaps. A history has more values than periods, because revisions and late
 * values repeat the newest one. For example, late values of 60 hours, three per transaction, take 80.
 */
export const MAX_GAP_VALUES = 5 * GAP_LIMIT

/** Number of days in which each weekday of a feed occurs. */
const FORTNIGHT = 14

/** The newest values of a feed's history, oldest first. */
export interface NewestValues {
  readonly values: readonly Pick<Attestation, 'period' | 'timestamp'>[]
  /** Whether these are all values of the feed. */
  readonly isWhole: boolean
}

/**
 * Lists the periods without a value among a feed's newest periods, oldest first. The result depends on the values only, so all
 * readers of a state root find the same gaps.
 *
 * Periods before the feed's first value are not gaps. For daily feeds, neither are weekdays that do not occur within two weeks.
 * EIA may have no value for a listed period: a market holiday looks like a gap.
 *
 * Older values than the given ones may contain more periods. These are not later than the end of the first given transaction,
 * because each transaction ends with the newest period so far. So no period before that end is listed, unless `isWhole`. Read
 * as many values as {@link reachesAllGaps} requires.
 */
export function listGaps(frequency: string, { values, isWhole }: NewestValues): readonly number[] {
  const newest = values.at(-1)
  const floor = isWhole ? values[0] : endOfFirstTransaction(values)
  if (newest === undefined || floor === undefined) return []
  const held = new Set(values.map(({ period }) => period))
  const isExpected = expectedPeriods(frequency, held)
  return periodsBefore(frequency, newest.period, GAP_LIMIT)
    .filter((period) => period > floor.period && !held.has(period) && isExpected(period))
    .toReversed()
}

/**
 * Whether no older values need to be read: the first transaction of the values ends {@link GAP_LIMIT} periods before the
 * newest (inclusive), or {@link MAX_GAP_VALUES} are read.
 */
export function reachesAllGaps(frequency: string, { values, isWhole }: NewestValues): boolean {
  if (isWhole || values.length >= MAX_GAP_VALUES) return true
  const newest = values.at(-1)
  const floor = endOfFirstTransaction(values)
  if (newest === undefined || floor === undefined || values.length < GAP_LIMIT) return false
  const before = periodsBefore(frequency, newest.period, GAP_LIMIT - 1)
  return before.every((period) => period >= floor.period)
}

/** Returns the oldest period that is checked for gaps; null if the integer is not a period of the frequency. */
export const startOfGaps = (frequency: string, newest: number): number | null =>
  periodsBefore(frequency, newest, GAP_LIMIT).at(-1) ?? null

/** Values of one transaction have the same timestamp, that of its block. */
export const endOfFirstTransaction = (values: NewestValues['values']) =>
  values.findLast(({ timestamp }) => timestamp === values[0]?.timestamp)

/** Returns the periods directly before another one, newest first. */
function periodsBefore(frequency: string, period: number, count: number): readonly number[] {
  const periods: number[] = []
  let before = periodBefore(frequency, period)
  while (before !== null && periods.length < count) {
    periods.push(before)
    before = periodBefore(frequency, before)
  }
  return periods
}

/** Returns a function that decides whether a feed should have a period: a daily one, only on weekdays on which it has days. */
export function expectedPeriods(frequency: string, held: ReadonlySet<number>): (period: number) => boolean {
  if (frequency !== 'daily') return () => true
  const dayOf = (period: number): number => (startOfPeriod('daily', period) ?? Number.NaN) / DAY_MS
  const days = [...held].map(dayOf).filter((day) => !Number.isNaN(day))
  const weekdays = new Set(days.map(weekdayOf))
  const isKnown = Math.max(...days) - Math.min(...days) >= FORTNIGHT
  return (period) => !isKnown || weekdays.has(weekdayOf(dayOf(period)))
}
