import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import {
  type Calendar,
  endsOf,
  findCalendar,
  type ReleasedSeries,
  type Releases,
  startOfPeriod,
} from '@wattfeed/eia'
import type { Feed } from 'wattfeed'
import { findRecipe } from 'wattfeed/provenance'

/** The state of a feed in EIA's release calendar. */
export type FeedState = (typeof feedStates)[number]

export const feedStates = ['current', 'due', 'late', 'stale', 'unknown'] as const

/** The age of a feed's newest value, compared with EIA's release calendar. All times are epoch milliseconds. */
export interface FeedStatus {
  feed_id: string
  frequency: string
  period: number
  /** First day that the period covers, or the start of an hour in UTC; null if the integer is not a period of the frequency. */
  period_start: string | null
  /** Last day that the period covers, or the end of an hour in UTC, exclusive; null with `period_start`. */
  period_end: string | null
  attested_at: number
  age_ms: number
  /** The applied rule; null if the period is not one of the frequency. */
  cadence: { rule: string; valid_from: string; basis: string; is_assumed: boolean } | null
  /** The newest period that was due for release. */
  expected_period: number | null
  /** When its release was due; null if only the day is known. */
  due_at: number | null
  /** Day of that release in UTC, as a date. */
  due_on: string | null
  /** When the next release is due; null if only the day is known. */
  next_due_at: number | null
  next_due_on: string | null
  /** Maximum age of `attested_at` under normal conditions; null for `unknown`. */
  max_age_ms: number | null
  state: FeedState
}

/** The fields of a reading that determine its status. */
export interface StatusInput extends Pick<Feed, 'route' | 'frequency' | 'description'> {
  readonly feed_id: string
  readonly period: number
  /** Epoch milliseconds. */
  readonly updated_at: number
}

/** Typical time that EIA's API and the agent need to get a release on chain. */
const PUBLICATION_LAG_MS = HOUR_MS

/**
 * Returns a function that computes the status of a reading at a time. It never throws, even for invalid data on chain.
 */
export function statusOf(reading: StatusInput): (now: number) => FeedStatus {
  const { feed_id, frequency, period, updated_at } = reading
  const startMs = startOfPeriod(frequency, period)
  const calendar = calendarOf(reading)
  const known = { feed_id, frequency, period, ...endsOf(reading, period), attested_at: updated_at }
  const ageAt = (now: number): number => Math.max(0, now - updated_at)
  if (calendar === null || startMs === null)
    return (now) => ({ ...known, age_ms: ageAt(now), ...nothingKnown })

  const { rule, graceMs } = calendar
  const [first, second] = missedReleases(calendar, startMs, updated_at)
  const stateAt = (now: number): FeedState => {
    // A value of a future period is impossible, except in a forecast.
    if (!rule.isForecast && startMs > now + DAY_MS) return 'unknown'
    if (now < first) return 'current'
    if (now < first + graceMs) return 'due'
    return now < second + graceMs ? 'late' : 'stale'
  }
  return (now) => {
    const { era, expectedPeriod: expected_period, dueAt, nextDueAt } = calendar.dueAt(now)
    const { rule: name, isDayOnly = false, isAssumed: is_assumed = false } = rule
    const state = stateAt(now)
    const maxAgeMs = calendar.longestGapMs() + PUBLICATION_LAG_MS + graceMs
    return {
      ...known,
      age_ms: ageAt(now),
      cadence: { rule: name, valid_from: era.validFrom, basis: era.basis, is_assumed },
      expected_period,
      due_at: isDayOnly ? null : dueAt,
      due_on: formatDay(dueAt),
      next_due_at: isDayOnly ? null : nextDueAt,
      next_due_on: formatDay(nextDueAt),
      max_age_ms: state === 'unknown' ? null : maxAgeMs,
      state,
    }
  }
}

// Block times have 64 bits, more than `Date` can represent.
const MAX_MS = Date.UTC(9999, 0)

/**
 * Returns the first two releases after a value. A forecast's period is in the future, so for a forecast the releases since its
 * attestation count.
 */
function missedReleases(calendar: Calendar, startMs: number, attestedAt: number): Releases {
  const later = calendar.releasesAfterPeriod(startMs)
  if (!calendar.rule.isForecast) return later
  const since = calendar.releasesSince(Math.min(attestedAt, MAX_MS))
  return since[0] < later[0] ? since : later
}

const nothingKnown = {
  cadence: null,
  expected_period: null,
  due_at: null,
  due_on: null,
  next_due_at: null,
  next_due_on: null,
  max_age_ms: null,
  state: 'unknown',
} as const

/** Returns the calendar of a reading's feed; null if its period is not one of its frequency. */
export function calendarOf(reading: StatusInput): Calendar | null {
  const startMs = startOfPeriod(reading.frequency, reading.period)
  return startMs === null ? null : findCalendar(seriesOf(reading), startMs)
}

function seriesOf(reading: StatusInput): ReleasedSeries {
  const { route, frequency } = reading
  return { route, frequency, facets: findRecipe(reading.feed_id, reading)?.recipe.facets ?? {} }
}

const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
