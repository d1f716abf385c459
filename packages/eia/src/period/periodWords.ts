import { type Coverage, coverageOf, type DatedSeries } from './coverage.ts'
import { formatDay, formatMonth, formatUtc } from './moment.ts'
import { formatPeriod } from './period.ts'

/** A period in words, and as the `datetime` of a `<time>`; null if it is invalid for its frequency. */
export interface PeriodText {
  words: string
  machine: string | null
}

/**
 * Describes the period that an integer represents.
 *
 * @example
 * ```ts
 * const storage = { route: 'natural-gas/stor/wkly', frequency: 'weekly' }
 * describePeriod(storage, 20261113).words // 'week ending 13 Nov 2026'
 * describePeriod({ route: 'steo', frequency: 'monthly' }, 202610).words // 'October 2026'
 * ```
 */
export function describePeriod(series: DatedSeries, period: number): PeriodText {
  const coverage = coverageOf(series, period)
  return coverage === null
    ? { words: `period ${period}`, machine: null }
    : { words: wordsOf(series, period, coverage), machine: machineText(coverage) }
}

function wordsOf({ frequency }: DatedSeries, period: number, { covers, start, end }: Coverage): string {
  const startMs = Date.parse(start)
  const endMs = Date.parse(end)
  if (covers === 'hour') return `hour ending ${formatUtc(endMs)}`
  if (covers === 'week') return `week ending ${formatDay(endMs)}`
  if (covers === 'four weeks') return `4 weeks ending ${formatDay(endMs)}`
  if (covers === 'month') return formatMonth(startMs)
  if (covers === 'quarter')
    return (formatPeriod(frequency, period) ?? start).replace(/^(\d+)-(Q\d)$/, '$2 $1')
  if (covers === 'year') return start.slice(0, 4)
  // The day of a weekly survey.
  return frequency === 'daily'
    ? formatDay(startMs)
    : `on ${weekdays[new Date(startMs).getUTCDay()]} ${formatDay(startMs)}`
}

/**
 * Joins a period in words to what it is the period of.
 *
 * @example
 * ```ts
 * forPeriod('week ending 13 Nov 2026') // 'for the week ending 13 Nov 2026'
 * forPeriod('on Monday 16 Nov 2026') // 'on Monday 16 Nov 2026'
 * ```
 */
export function forPeriod(words: string): string {
  if (words.startsWith('on ')) return words
  return words.includes(' ending ') ? `for the ${words}` : `for ${words}`
}

const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Returns a valid `datetime`: EIA's date or time. HTML has no quarters, so a quarter is its first month. */
function machineText({ covers, start, end }: Coverage): string {
  if (covers === 'hour') return `${end.slice(0, 16)}Z`
  if (covers === 'year') return start.slice(0, 4)
  return covers === 'month' || covers === 'quarter' ? start.slice(0, 7) : end
}
