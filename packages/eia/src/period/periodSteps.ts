import { encodePeriodStart, lengthOfPeriod, type PeriodLength, startOfPeriod } from './period.ts'

/**
 * Whether a period directly follows another one on the calendar, so that EIA can have none between them.
 *
 * Holidays count: Saturday's daily period follows Friday's. False for an integer that is not a period.
 *
 * @param earlier - the integer of a period, as `encodePeriod` makes it
 *
 * @example
 * ```ts
 * import { isNextPeriod } from './periodSteps.ts'
 *
 * isNextPeriod('monthly', 202612, 202701) // true
 * isNextPeriod('weekly', 20261113, 20261127) // false
 * ```
 */
export function isNextPeriod(frequency: string, earlier: number, later: number): boolean {
  const length = lengthOfPeriod(frequency)
  const startMs = startOfPeriod(frequency, earlier)
  if (length === null || startMs === null) return false
  return startOfPeriod(frequency, later) === stepFrom(startMs, length, 1)
}

/**
 * The integer of the previous period on the calendar, or of one further back; null for an integer that is not a period.
 *
 * @param steps - how many periods back
 */
export function periodBefore(frequency: string, integer: number, steps = 1): number | null {
  const length = lengthOfPeriod(frequency)
  const startMs = startOfPeriod(frequency, integer)
  return length === null || startMs === null
    ? null
    : encodePeriodStart(frequency, stepFrom(startMs, length, -steps))
}

/** The periods on the calendar between two others, oldest first; none if the first is not a period or not the earlier. */
export function periodsBetween(frequency: string, after: number, before: number): readonly number[] {
  if (startOfPeriod(frequency, after) === null) return []
  const periods: number[] = []
  let period = periodBefore(frequency, before)
  while (period !== null && period > after) {
    periods.push(period)
    period = periodBefore(frequency, period)
  }
  return periods.toReversed()
}

/** The start of the period `steps` periods later; earlier if `steps` is negative. */
export function stepFrom(startMs: number, length: PeriodLength, steps: number): number {
  if ('ms' in length) return startMs + steps * length.ms
  const date = new Date(startMs)
  return date.setUTCMonth(date.getUTCMonth() + steps * length.months)
}
