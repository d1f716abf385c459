import { type DatedSeries, endsOf, type PlannedRelease } from '@wattfeed/eia'
import type { Reading } from 'wattfeed'
import type { CalendarBody } from '../../api/schemas.ts'
import { calendarOf } from '../../feeds/status/feedStatus.ts'
import { comparePast, type PastRelease, summarize } from '../../feeds/status/punctuality.ts'
import {
  daysAround,
  listSchedules,
  planReleases,
  type ReleaseSchedule,
} from '../../feeds/status/schedules.ts'
import { noticeOf, type PublicSite } from '../publicSite.ts'
import type { NewestOfFeed } from '../readers/newestValues.ts'

/** Days of planned releases. */
export const DAYS_AHEAD = 60

/** Number of past releases of a feed that are listed. The figures are of all that were compared. */
const MAX_PAST = 12

export interface CalendarFacts {
  readonly readings: readonly Reading[]
  /** Returns the newest values of a feed; null if they are not read yet. */
  readonly newestOf: (reading: Reading) => NewestOfFeed | null
  readonly site: PublicSite
  /** Epoch milliseconds. */
  readonly now: number
}

export function formatCalendar({ readings, newestOf, site, now }: CalendarFacts): CalendarBody {
  const schedules = listSchedules(readings)
  const days = daysAround(now, { before: 0, after: DAYS_AHEAD })
  const releases = schedules
    .flatMap((schedule) => planReleases(schedule, now, days).map((release) => ({ schedule, release })))
    .sort((one, other) => one.release.at - other.release.at)
  const pasts = readings.map((reading) => pastOf(reading, newestOf(reading)))
  const sourced = pasts.flatMap(({ past, isAssumed }) => (isAssumed ? [] : (past ?? [])))
  return {
    notice: noticeOf(site),
    icalendar: '/calendar.ics',
    atom: site.origin === null ? null : '/feed.atom',
    schedules: schedules.map((schedule) => formatSchedule(schedule, now)),
    releases: releases.map(({ schedule, release }) => formatRelease(schedule, release)),
    punctuality: formatPunctuality(sourced),
    feeds: pasts.map(({ reading, schedule, isDayOnly, past }) => ({
      feed_id: reading.feed_id,
      frequency: reading.frequency,
      schedule,
      punctuality: past && formatPunctuality(past),
      past:
        past
          ?.toReversed()
          .slice(0, MAX_PAST)
          .map((each) => formatPast(each, reading, isDayOnly)) ?? null,
    })),
  }
}

function pastOf(reading: Reading, newest: NewestOfFeed | null) {
  const calendar = calendarOf(reading)
  if (calendar === null) return { reading, schedule: null, isDayOnly: true, isAssumed: true, past: [] }
  const { isDayOnly = false, isAssumed = false } = calendar.rule
  const past = newest && comparePast(calendar, reading.frequency, newest)
  return { reading, schedule: calendar.name, isDayOnly, isAssumed, past }
}

function formatSchedule(
  { calendar, feedIds }: ReleaseSchedule,
  now: number,
): CalendarBody['schedules'][number] {
  const { name, rule, graceMs } = calendar
  const { validFrom, says, basis } = calendar.dueAt(now).era
  return {
    schedule: name,
    rule: rule.rule,
    valid_from: validFrom,
    says,
    basis,
    is_assumed: rule.isAssumed ?? false,
    grace_ms: graceMs,
    feed_ids: [...feedIds],
  }
}

const formatDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function formatRelease(
  { calendar, series }: ReleaseSchedule,
  { period, at, movedBy, usualAt, moves }: PlannedRelease,
): CalendarBody['releases'][number] {
  return {
    schedule: calendar.name,
    frequency: series.frequency,
    period,
    ...endsOf(series, period),
    due_at: calendar.rule.isDayOnly ? null : at,
    due_on: formatDate(at),
    moved: movedBy === null ? null : { by: movedBy, usual_at: usualAt },
    sequence: moves,
  }
}

const formatPast = (
  { period, dueAt, attestedAt, delayMs, isOnTime }: PastRelease,
  series: DatedSeries,
  isDayOnly: boolean,
) => ({
  period,
  ...endsOf(series, period),
  due_at: isDayOnly ? null : dueAt,
  due_on: formatDate(dueAt),
  attested_at: attestedAt,
  delay_ms: delayMs,
  is_on_time: isOnTime,
})

function formatPunctuality(past: readonly PastRelease[]): CalendarBody['punctuality'] {
  const { releases, onTime, medianDelayMs } = summarize(past)
  return {
    releases,
    on_time: onTime,
    share_on_time: releases === 0 ? null : Math.round((onTime / releases) * 10_000) / 10_000,
    median_delay_ms: medianDelayMs,
  }
}
