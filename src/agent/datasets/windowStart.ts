import { formatPeriod, periodBefore } from '@wattfeed/eia'

/**
 * Returns EIA's text of the first of so many periods up to the newest one, by the calendar. Null for all, and if so many reach back before
 * the first period that can be written.
 */
export function windowStart(frequency: string, newest: number, periods: number | null): string | null {
  const first = periods === null ? null : periodBefore(frequency, newest, periods - 1)
  return first === null ? null : formatPeriod(frequency, first)
}
