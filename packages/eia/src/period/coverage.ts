import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import { encodePeriod, PeriodError, startOfPeriod } from './period.ts'

/** How EIA dates the periods of some datasets. */
interface CoverageRule {
  /** EIA's routes. @default every route */
  readonly routes?: readonly string[]
  readonly frequencies: readonly string[]
  /** Weekday of the date, from 0 for Sunday. @default any */
  readonly weekday?: number
  /**
   * What a date stands for: the hour, week or four weeks that end there, the day itself, or the month, quarter or year that it
   * names.
   */
  readonly covers: Coverage['covers']
  /** The source of the rule. */
  readonly basis: string
  /** Whether no source states it, so that wattfeed assumes it from the frequency. */
  readonly isAssumed?: boolean
}

/** What a period covers. */
export interface Coverage {
  /** What its date stands for. */
  readonly covers: 'hour' | 'day' | 'week' | 'four weeks' | 'month' | 'quarter' | 'year'
  /** First day, such as `2026-11-14`; for an hour its first instant in UTC, such as `2026-11-26T21:00:00Z`. */
  readonly start: string
  /** Last day, inclusive; for an hour its end in UTC, exclusive. */
  readonly end: string
}

/** The fields of a feed that determine how its periods are dated. */
export interface DatedSeries {
  /** EIA's route. */
  readonly route: string
  /** Frequency, in EIA's terms. */
  readonly frequency: string
}

const MONDAY = 1

/** Time from the start of what a date stands for to the start of the date. */
const leadMs = { day: 0, hour: HOUR_MS, week: 6 * DAY_MS, 'four weeks': 27 * DAY_MS } as const

const months = { month: 1, quarter: 3, year: 12 } as const

/** Flows of the Weekly Petroleum Status Report, which EIA also has as averages of four weeks. */
const weeklyFlows: readonly string[] = [
  'petroleum/cons/wpsup',
  'petroleum/move/wimpc',
  'petroleum/move/wkly',
  'petroleum/pnp/wiup',
  'petroleum/pnp/wprodb',
  'petroleum/pnp/wprode',
  'petroleum/pnp/wprodr',
  'petroleum/pnp/wprodrb',
  'petroleum/sum/sndw',
]

const assumed = { basis: 'none: assumed from the frequency', isAssumed: true } as const

/**
 * How EIA dates its periods. The first rule that matches applies.
 *
 * This table is for output only. What decides, such as whether a value is a forecast or which period is next, goes by the date.
 */
export const coverageRules: readonly CoverageRule[] = [
  {
    routes: [
      'electricity/rto/fuel-type-data',
      'electricity/rto/interchange-data',
      'electricity/rto/region-data',
      'electricity/rto/region-sub-ba-data',
    ],
    frequencies: ['hourly', 'local-hourly'],
    covers: 'hour',
    basis: 'Form EIA-930: values are of the hour that ends at the given time',
  },
  {
    routes: [...weeklyFlows, 'petroleum/stoc/wstk'],
    frequencies: ['weekly'],
    covers: 'week',
    basis: 'EIA, Weekly Petroleum Status Report: the seven days that end on Friday at 7:00',
  },
  {
    routes: ['natural-gas/stor/wkly'],
    frequencies: ['weekly'],
    covers: 'week',
    basis: 'EIA, Weekly Natural Gas Storage Report: working gas, week ending on a Friday',
  },
  {
    routes: ['natural-gas/pri/fut', 'petroleum/pri/fut', 'petroleum/pri/spt'],
    frequencies: ['weekly'],
    covers: 'week',
    basis: 'EIA, definitions of spot and futures prices: the average of the daily prices of the week',
  },
  {
    routes: ['petroleum/pri/gnd', 'petroleum/pri/wfr'],
    frequencies: ['weekly'],
    covers: 'day',
    basis: 'EIA, gasoline, diesel and heating fuel price surveys: the price on Monday',
  },
  {
    routes: weeklyFlows,
    frequencies: ['four-week-average'],
    covers: 'four weeks',
    basis: 'EIA, Weekly Petroleum Status Report: the average of four weeks, of which the last ends on Friday',
  },
  { frequencies: ['daily'], covers: 'day', basis: 'EIA’s API: one value for each day' },
  { frequencies: ['monthly'], covers: 'month', basis: 'EIA’s API: one value for each month' },
  { frequencies: ['quarterly'], covers: 'quarter', basis: 'EIA’s API: one value for every three months' },
  { frequencies: ['annual'], covers: 'year', basis: 'EIA’s API: one value for each calendar year' },
  // Datasets whose dates no source explains.
  { frequencies: ['hourly', 'local-hourly'], covers: 'hour', ...assumed },
  { frequencies: ['weekly'], weekday: MONDAY, covers: 'day', ...assumed },
  { frequencies: ['weekly'], covers: 'week', ...assumed },
  { frequencies: ['four-week-average'], covers: 'four weeks', ...assumed },
]

/**
 * Returns what a period covers, as EIA defines it. The integer of an hour or a week names its end.
 *
 * @returns Null if the integer is not a period of the frequency.
 *
 * @example
 * ```ts
 * import { coverageOf } from 'wattfeed/history'
 *
 * const storage = { route: 'natural-gas/stor/wkly', frequency: 'weekly' }
 * coverageOf(storage, 20261120) // { covers: 'week', start: '2026-11-14', end: '2026-11-20' }
 * ```
 */
export function coverageOf(series: DatedSeries, period: number): Coverage | null {
  const dateMs = startOfPeriod(series.frequency, period)
  const covers = dateMs === null ? undefined : findRule(series, dateMs)?.covers
  if (dateMs === null || covers === undefined) return null
  const startMs = isLed(covers) ? dateMs - leadMs[covers] : dateMs
  const endMs = isLed(covers) ? dateMs : lastDayOf(dateMs, months[covers])
  // A week may start before the first year that a date can name.
  if (startMs < MIN_MS) return null
  const format = covers === 'hour' ? formatInstant : formatDay
  return { covers, start: format(startMs), end: format(endMs) }
}

/** Both ends of what a period covers, as the fields of a row. */
export interface PeriodEnds {
  readonly period_start: string | null
  readonly period_end: string | null
}

/** Returns both ends of what a period covers; both null if the integer is not a period of the frequency. */
export function endsOf(series: DatedSeries, period: number): PeriodEnds {
  const { start = null, end = null } = coverageOf(series, period) ?? {}
  return { period_start: start, period_end: end }
}

/** Returns both ends of what a period in EIA's text covers; both null if the text is not a period of the frequency. */
export function endsOfText(series: DatedSeries, period: string): PeriodEnds {
  try {
    return endsOf(series, encodePeriod(series.frequency, period))
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    return { period_start: null, period_end: null }
  }
}

/**
 * Time in milliseconds from the start of what a period covers to the start of its date: 0 unless the date names an end. A dataset
 * without a rule is judged by the weekday of this period.
 */
export function leadOf(series: DatedSeries, period: number): number {
  const covers = findRule(series, startOfPeriod(series.frequency, period) ?? 0)?.covers
  return covers !== undefined && isLed(covers) ? leadMs[covers] : 0
}

function findRule({ route, frequency }: DatedSeries, dateMs: number): CoverageRule | undefined {
  const weekday = new Date(dateMs).getUTCDay()
  return coverageRules.find(
    (rule) =>
      rule.frequencies.includes(frequency) &&
      (rule.routes?.includes(route) ?? true) &&
      (rule.weekday ?? weekday) === weekday,
  )
}

const isLed = (covers: Coverage['covers']): covers is keyof typeof leadMs => covers in leadMs

const MIN_MS = Date.parse('0000-01-01T00:00:00.000Z')

function lastDayOf(startMs: number, count: number): number {
  const end = new Date(startMs)
  return end.setUTCMonth(end.getUTCMonth() + count, 0)
}

const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const formatInstant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
