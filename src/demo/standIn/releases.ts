import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import {
  type Calendar,
  encodePeriodStart,
  findCalendar,
  formatPeriod,
  isWorkday,
  lengthOfPeriod,
  parsePeriodStart,
  type ReleasedSeries,
  startOfPeriod,
} from '@wattfeed/eia'

const DECEMBER = 11

/** The periods of a series that have values, in EIA's text, and when EIA releases them, in epoch milliseconds. */
export interface Releases {
  newestAt(now: number): string
  releaseOf(period: string): number
  /** Looks at `count` periods before one, and lists those with a value, newest first. */
  listBefore(period: string, count: number): string[]
}

/**
 * Finds the releases of a series by EIA's calendar. Markets have no prices on weekends and federal holidays.
 *
 * @param known any period of the series; it has the weekday of weekly periods, and the offset from UTC of local hours
 * @throws {Error} for an unknown frequency
 */
export function findReleases(series: ReleasedSeries, known: string): Releases {
  const { route, frequency } = series
  const calendar = findCalendar(series, parsePeriodStart(frequency, known))
  if (calendar === null) throw new Error(`${route} has no release calendar for the frequency ${frequency}`)
  const hasValue = (startMs: number): boolean => !calendar.rule.isWeekdaysOnly || isWorkday(startMs / DAY_MS)
  const textOf = (startMs: number): string => periodText(frequency, startMs, known)
  return {
    newestAt(now) {
      let startMs = newestStart(calendar, frequency, now)
      while (!hasValue(startMs)) startMs -= DAY_MS
      return textOf(startMs)
    },
    releaseOf: (period) => calendar.releaseOf(editionOf(calendar, parsePeriodStart(frequency, period))),
    listBefore: (period, count) =>
      startsBefore(frequency, parsePeriodStart(frequency, period), count).filter(hasValue).map(textOf),
  }
}

/** Returns the start of the newest released period. The editions of a year forecast up to December of the next. */
function newestStart({ dueAt, rule }: Calendar, frequency: string, now: number): number {
  const startMs = startOfPeriod(frequency, dueAt(now).expectedPeriod) ?? Number.NaN
  return rule.isForecast ? Date.UTC(new Date(startMs).getUTCFullYear() + 1, DECEMBER) : startMs
}

/** Returns the start of the period with whose release a period first appears: for a forecast, January of the year before. */
const editionOf = ({ rule }: Calendar, startMs: number): number =>
  rule.isForecast ? Date.UTC(new Date(startMs).getUTCFullYear() - 1, 0) : startMs

function startsBefore(frequency: string, startMs: number, count: number): number[] {
  const length = lengthOfPeriod(frequency) ?? { ms: DAY_MS }
  return Array.from({ length: count }, (_, index) => {
    if ('ms' in length) return startMs - (index + 1) * length.ms
    const date = new Date(startMs)
    return date.setUTCMonth(date.getUTCMonth() - (index + 1) * length.months)
  })
}

/** Formats the start of a period like EIA. A local hour gets the offset from UTC of the known one. */
export function periodText(frequency: string, startMs: number, known: string): string {
  if (frequency !== 'local-hourly')
    return formatPeriod(frequency, encodePeriodStart(frequency, startMs) ?? Number.NaN) ?? ''
  const offset = known.slice('YYYY-MM-DDTHH'.length)
  return new Date(startMs + Number(offset) * HOUR_MS).toISOString().slice(0, 'YYYY-MM-DDTHH'.length) + offset
}
