import { weekdayOf } from '../eia/holidays.ts'
import { periodBefore, startOfPeriod } from '../eia/period.ts'
import type { Attestation } from '../registry/attestation.ts'

/**
 * How far back gaps are looked for: so many of a feed's newest values, and so many periods before the newest. That is 60
 * hours, two months of days, more than a year of weeks, five years of months.
 */
export const GAP_LIMIT = 60

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
 * The newest {@link GAP_LIMIT} values tell enough, because each transaction ends with the newest period so far: what is
 * later than the end of the first transaction cannot be among older values.
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
  const gaps: number[] = []
  let period = periodBefore(frequency, newest.period)
  for (let count = 0; count < GAP_LIMIT && period !== null && period > floor.period; count++) {
    if (!held.has(period) && isExpected(period)) gaps.unshift(period)
    period = periodBefore(frequency, period)
  }
  return gaps
}

/** Values of one transaction have the time of its block. */
const endOfFirstTransaction = (values: NewestValues['values']) =>
  values.findLast(({ timestamp }) => timestamp === values[0]?.timestamp)

/** Tells which days a daily feed should have, by the weekdays of those that it has. */
function expectedDays(held: ReadonlySet<number>): (period: number) => boolean {
  const dayOf = (period: number): number => (startOfPeriod('daily', period) ?? Number.NaN) / DAY_MS
  const days = [...held].map(dayOf).filter((day) => !Number.isNaN(day))
  const weekdays = new Set(days.map(weekdayOf))
  const isKnown = Math.max(...days) - Math.min(...days) >= FORTNIGHT
  return (period) => !isKnown || weekdays.has(weekdayOf(dayOf(period)))
}
