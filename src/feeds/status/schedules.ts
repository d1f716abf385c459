import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import { type Calendar, type DatedSeries, lengthOfPeriod, type PlannedRelease } from '@wattfeed/eia'
import { calendarOf, type StatusInput } from './feedStatus.ts'

/** The releases of one calendar, and the feeds that get a value from each. */
export interface ReleaseSchedule {
  readonly calendar: Calendar
  /** How its periods are dated. Weekly values and averages of four weeks have the same dates, and count as weeks. */
  readonly series: DatedSeries
  /** Whether it has a release every hour. */
  readonly isHourly: boolean
  /** In the order of the readings. */
  readonly feedIds: readonly string[]
}

/** Groups feeds by schedule, in the order of their first feed. Feeds whose calendar is unknown are left out. */
export function listSchedules(readings: readonly StatusInput[]): readonly ReleaseSchedule[] {
  const schedules = new Map<string, ReleaseSchedule & { feedIds: string[] }>()
  for (const reading of readings) {
    const calendar = calendarOf(reading)
    if (calendar === null) continue
    const schedule = schedules.get(calendar.name) ?? createSchedule(calendar, reading.frequency)
    schedule.feedIds.push(reading.feed_id)
    schedules.set(calendar.name, schedule)
  }
  return [...schedules.values()]
}

function createSchedule(calendar: Calendar, ownFrequency: string) {
  const [frequency = ownFrequency] = calendar.rule.frequencies
  const [route = ''] = calendar.rule.routes
  const length = lengthOfPeriod(frequency)
  const isHourly = length !== null && 'ms' in length && length.ms === HOUR_MS
  return { calendar, series: { route, frequency }, isHourly, feedIds: [] }
}

/** The days of a plan, in epoch milliseconds at midnight UTC. */
export interface PlannedDays {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Returns the days around a moment, which is in the first day after `before` days. */
export function daysAround(now: number, { before, after }: { before: number; after: number }): PlannedDays {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  return { from: today - before * DAY_MS, to: today + after * DAY_MS }
}

/**
 * Lists the releases of a schedule on some days, and in any case the next one. A schedule with a release every hour has only the
 * next one.
 */
export function planReleases(
  { calendar, isHourly }: ReleaseSchedule,
  now: number,
  { from, to }: PlannedDays,
): readonly PlannedRelease[] {
  const next = calendar.plan(now + 1, calendar.dueAt(now).nextDueAt + 1)
  if (isHourly) return next
  const planned = calendar.plan(from, to)
  return planned.some(({ at }) => at > now) ? planned : [...planned, ...next]
}
