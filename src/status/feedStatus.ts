import { type Calendar, findCalendar, type ReleasedSeries, type Releases } from '../eia/calendar.ts'
import { lengthOfPeriod, startOfPeriod } from '../eia/period.ts'
import { findRecipe } from '../provenance/recipes.ts'
import type { Feed } from '../registry/feed.ts'

/** How a feed stands against EIA's calendar. */
export type FeedState = (typeof feedStates)[number]

export const feedStates = ['current', 'due', 'late', 'stale', 'unknown'] as const

/** How old a feed's newest value is, and how old it may be. All times are epoch milliseconds. */
export interface FeedStatus {
  feed_id: string
  frequency: string
  period: number
  /** The period's last day, or of an hourly one its time in UTC; null if the integer is none of the frequency. */
  period_end: string | null
  attested_at: number
  age_ms: number
  /** The rule that is applied; null where the period is none of the frequency. */
  cadence: { rule: string; valid_from: string; basis: string; is_assumed: boolean } | null
  /** The newest period whose release has passed. */
  expected_period: number | null
  /** When that was; null where only the day is known. */
  due_at: number | null
  /** The day of it in UTC, as a date. */
  due_on: string | null
  /** When the next release is; null where only the day is known. */
  next_due_at: number | null
  next_due_on: string | null
  /** How old `attested_at` may be at most while all goes as usual; null for `unknown`. */
  max_age_ms: number | null
  state: FeedState
}

/** The part of a reading that its status depends on. */
export interface StatusInput extends Pick<Feed, 'route' | 'frequency' | 'description'> {
  readonly feed_id: string
  readonly period: number
  /** Epoch milliseconds. */
  readonly updated_at: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How long EIA's API and the agent take to have a release on chain, as a rule. */
const PUBLICATION_LAG_MS = HOUR_MS

/**
 * Returns a function that tells a reading's status at a moment. It never throws, whatever is stored.
 *
 * @example
 * ```ts
 * const { state, max_age_ms } = statusOf(reading)(Date.now())
 * ```
 */
export function statusOf(reading: StatusInput): (now: number) => FeedStatus {
  const { feed_id, frequency, period, updated_at } = reading
  const startMs = startOfPeriod(frequency, period)
  const calendar = startMs === null ? null : findCalendar(seriesOf(reading), startMs)
  const period_end = startMs === null ? null : formatEnd(frequency, startMs)
  const known = { feed_id, frequency, period, period_end, attested_at: updated_at }
  const ageAt = (now: number): number => Math.max(0, now - updated_at)
  if (calendar === null || startMs === null)
    return (now) => ({ ...known, age_ms: ageAt(now), ...nothingKnown })

  const { rule, graceMs } = calendar
  const [first, second] = missedReleases(calendar, startMs, updated_at)
  const stateAt = (now: number): FeedState => {
    // Of a period to come nobody can have published a value, except a forecast.
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

// Block times are 64 bits, and dates reach less far.
const MAX_MS = Date.UTC(9999, 0)

/** The two releases that a value lacks first. A forecast's period says little: what counts is what came out since. */
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

function seriesOf(reading: StatusInput): ReleasedSeries {
  const { route, frequency } = reading
  return { route, frequency, facets: findRecipe(reading.feed_id, reading)?.recipe.facets ?? {} }
}

/** Formats the end of the period that starts then; null for a frequency that is not EIA's. */
function formatEnd(frequency: string, startMs: number): string | null {
  const length = lengthOfPeriod(frequency)
  if (length === null) return null
  const end = new Date(startMs)
  if ('ms' in length && length.ms < DAY_MS) return end.toISOString().replace('.000Z', 'Z')
  if ('months' in length) end.setUTCMonth(end.getUTCMonth() + length.months, 0)
  return formatDay(end.getTime())
}

const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
