import { forPeriod, startOfPeriod } from '@wattfeed/eia'
import type { Reading } from 'wattfeed'
import { calendarOf, type FeedStatus } from '../../feeds/status/feedStatus.ts'
import { formatTime } from '../../web/cite/citation.ts'
import { periodInWords } from '../feedTexts.ts'

/** The releases of a feed around now, with the periods in words. Null where it is unknown. */
export interface ReleaseDates {
  /** The newest period that was due. */
  readonly expected_period: string | null
  readonly due_on: string | null
  /** The period of the next release. */
  readonly next_period: string | null
  readonly next_due_on: string | null
  /** Also null if only the day is known. */
  readonly next_due_at: string | null
  /** The first period after that of the newest value, also if it is overdue; null for a forecast, whose releases revise all periods. */
  readonly new_period: string | null
  readonly new_period_due_on: string | null
  /** Whether EIA's release rule gives the dates, or they are an estimate from the frequency. */
  readonly dates_by: 'rule' | 'estimate' | null
}

export function releaseDatesOf(reading: Reading, status: FeedStatus, now: number): ReleaseDates {
  const { frequency, period } = reading
  const { expected_period, due_on, next_due_on, next_due_at, cadence } = status
  const words = (each: number | undefined) => (each === undefined ? null : periodInWords(reading, each))
  const calendar = calendarOf(reading)
  const startMs = startOfPeriod(frequency, period)
  if (calendar === null || startMs === null) return nothingKnown
  const { nextDueAt } = calendar.dueAt(now)
  const [newAt] = calendar.releasesAfterPeriod(startMs)
  const next = calendar.plan(nextDueAt, nextDueAt + 1).at(-1)
  // One release can have several periods.
  const fresh = calendar.rule.isForecast
    ? undefined
    : calendar.plan(newAt, newAt + 1).find((each) => each.startMs > startMs)
  return {
    expected_period: words(expected_period ?? undefined),
    due_on,
    next_period: words(next?.period),
    next_due_on,
    next_due_at: next_due_at === null ? null : formatTime(next_due_at),
    new_period: words(fresh?.period),
    new_period_due_on: fresh === undefined ? null : new Date(fresh.at).toISOString().slice(0, 10),
    dates_by: cadence?.is_assumed ? 'estimate' : 'rule',
  }
}

const nothingKnown: ReleaseDates = {
  expected_period: null,
  due_on: null,
  next_period: null,
  next_due_on: null,
  next_due_at: null,
  new_period: null,
  new_period_due_on: null,
  dates_by: null,
}

export function describeReleases(dates: ReleaseDates): string {
  const { next_period, next_due_on, next_due_at, new_period, new_period_due_on, dates_by } = dates
  if (next_due_on === null || next_period === null) return 'Its releases are unknown.'
  const basis = dates_by === 'rule' ? "by EIA's release rule" : 'an estimate from the frequency'
  const when = next_due_at === null ? `on ${next_due_on}` : `at ${next_due_at}`
  const next = `The next release is due ${when}, ${forPeriod(next_period)}`
  if (new_period === null || new_period === next_period) return `${next} (${basis}).`
  return `${next}; the value after the newest, ${forPeriod(new_period)}, is due on ${new_period_due_on} (${basis}).`
}
