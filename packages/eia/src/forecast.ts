import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import {
  encodePeriodStart,
  formatPeriod,
  lengthOfPeriod,
  parsePeriodStart,
  startOfPeriod,
} from './period/period.ts'
import { stepFrom } from './period/periodSteps.ts'

/**
 * Whether a value of a period can only be a forecast at a moment. The month, quarter or year has not ended, or the day, week or
 * hour has not started.
 *
 * @param now - epoch milliseconds
 * @throws `PeriodError` as `encodePeriod` does.
 */
export function isForecast(frequency: string, text: string, now: number): boolean {
  const startMs = parsePeriodStart(frequency, text)
  const length = lengthOfPeriod(frequency)
  return now < (length !== null && 'months' in length ? stepFrom(startMs, length, 1) : startMs)
}

/**
 * EIA's text of the newest period that is not a forecast at a moment, for its parameter `end`. Null for an unknown frequency. For
 * local hours, whose offset from UTC varies, a date that is later than any of them.
 *
 * @param now - epoch milliseconds
 */
export function newestPeriod(frequency: string, now: number): string | null {
  const length = lengthOfPeriod(frequency)
  if (length === null) return null
  if (frequency === 'local-hourly') return new Date(now + 2 * DAY_MS).toISOString().slice(0, 10)
  const date = new Date(now)
  const month = date.getUTCMonth()
  const startMs =
    'months' in length
      ? Date.UTC(date.getUTCFullYear(), month - (month % length.months) - length.months)
      : now - (now % HOUR_MS)
  return formatPeriod(frequency, encodePeriodStart(frequency, startMs) ?? Number.NaN)
}

/**
 * EIA's text of a period for its parameter `end`; for a local hour, whose offset from UTC its integer lacks, a later date. Null for an
 * integer that is not a period.
 */
export function endText(frequency: string, period: number): string | null {
  const startMs = startOfPeriod(frequency, period)
  return formatPeriod(frequency, period) ?? (startMs === null ? null : newestPeriod(frequency, startMs))
}
