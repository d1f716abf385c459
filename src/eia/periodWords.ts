import { formatDay, formatMonth, formatUtc } from './moment.ts'
import { formatPeriod, periodStart } from './period.ts'

/** A period in words, and as the `datetime` of a `<time>`; null if it is invalid for its frequency. */
export interface PeriodText {
  words: string
  machine: string | null
}

const FRIDAY = 5

/**
 * Describes the period that an integer represents.
 *
 * EIA dates a week by the Friday that ends it (stocks, storage), or by the Monday of a price survey.
 *
 * @example
 * ```ts
 * describePeriod('weekly', 20261113).words // 'week ending 13 Nov 2026'
 * describePeriod('monthly', 202610).words // 'October 2026'
 * ```
 */
export function describePeriod(frequency: string, period: number): PeriodText {
  // A feed does not have the time zone of a local hour.
  const known = frequency === 'local-hourly' ? 'hourly' : frequency
  const text = formatPeriod(known, period)
  if (text === null) return { words: `period ${period}`, machine: null }
  const ms = periodStart(known, text)
  return { words: words[known]?.(ms, text) ?? text, machine: machineText(known, ms, text) }
}

const words: Readonly<Record<string, (ms: number, text: string) => string>> = {
  quarterly: (_, text) => text.replace(/^(\d+)-(Q\d)$/, '$2 $1'),
  monthly: formatMonth,
  weekly: (ms) =>
    new Date(ms).getUTCDay() === FRIDAY ? `week ending ${formatDay(ms)}` : `week of ${formatDay(ms)}`,
  'four-week-average': (ms) => `4 weeks ending ${formatDay(ms)}`,
  daily: formatDay,
  hourly: formatUtc,
}

/** Returns a valid `datetime`. HTML has no quarters, so a quarter is its first month. */
function machineText(frequency: string, ms: number, text: string): string {
  const iso = new Date(ms).toISOString()
  if (frequency === 'quarterly') return iso.slice(0, 7)
  return frequency === 'hourly' ? `${iso.slice(0, 16)}Z` : frequency === 'weekly' ? isoWeek(ms) : text
}

const DAY_MS = 86_400_000

/** The ISO week that a day is in: '2026-W46'. */
function isoWeek(ms: number): string {
  // A week belongs to the year of its Thursday.
  const thursday = ms + (3 - ((new Date(ms).getUTCDay() + 6) % 7)) * DAY_MS
  const year = new Date(thursday).getUTCFullYear()
  const week = Math.floor((thursday - Date.UTC(year, 0, 1)) / DAY_MS / 7) + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}
