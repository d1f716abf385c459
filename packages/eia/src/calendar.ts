import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import { type ReleaseRule, type RuleEra, releaseRules } from './calendarRules.ts'
import { isWorkday } from './holidays.ts'
import { dayOf, weekdayFrom, weekdayOf } from './period/days.ts'
import { encodePeriodStart, lengthOfPeriod } from './period/period.ts'
import { eraOf, planRelease, type Release, regularReleaseAt, releaseAt } from './release.ts'

/** The fields that determine when a feed's periods are released. */
export interface ReleasedSeries {
  readonly route: string
  readonly frequency: string
  readonly facets?: Readonly<Record<string, string>>
}

/** The releases around a moment: `dueAt` ≤ now < `nextDueAt`, in epoch milliseconds. */
export interface Due {
  /** The integer of the newest period whose release has passed. */
  readonly expectedPeriod: number
  readonly dueAt: number
  readonly nextDueAt: number
  /** The rule that applies to the expected period. */
  readonly era: RuleEra
}

/** Two consecutive releases, in epoch milliseconds. */
export type Releases = readonly [first: number, second: number]

/** The planned release of a period. All times are epoch milliseconds. */
export interface PlannedRelease extends Release {
  readonly period: number
  /** First instant of the period. */
  readonly startMs: number
}

/** When EIA releases the periods of a frequency, by one rule. All times are epoch milliseconds. */
export interface Calendar {
  /** Names the schedule. It is the same for all feeds whose periods are released together. */
  readonly name: string
  readonly rule: ReleaseRule
  readonly graceMs: number
  /** Maximum time between two regular releases. */
  readonly longestGapMs: () => number
  /** The release that is due at a moment: the newest one that has passed, and the next. */
  dueAt(now: number): Due
  /** The first two releases after the period that starts at this moment. */
  releasesAfterPeriod(startMs: number): Releases
  /** The first two releases after a moment. */
  releasesSince(ms: number): Releases
  /** The release time of the period that starts at this moment. */
  releaseOf(startMs: number): number
  /** The releases from a moment on, before another one, in order. */
  plan(from: number, to: number): PlannedRelease[]
}

/**
 * Finds the calendar of a series: by EIA's rules, or by its frequency without a rule. Null for a frequency that EIA does not have.
 *
 * @example
 * ```ts
 * import { findCalendar, parsePeriodStart } from '@wattfeed/eia'
 *
 * const weekly = { route: 'petroleum/stoc/wstk', frequency: 'weekly' }
 * const startMs = parsePeriodStart('weekly', '2026-11-20')
 * const calendar = findCalendar(weekly, startMs)
 * if (calendar) console.log(new Date(calendar.releaseOf(startMs)).toISOString()) // the Wednesday after, 10:30 in New York
 * ```
 *
 * @param startMs - start of any period of the feed, in epoch milliseconds; a rule without a weekday counts weeks from it
 */
export function findCalendar(series: ReleasedSeries, startMs: number): Calendar | null {
  const rule = findRule(series)
  return rule === undefined ? null : calendarOf(rule, series.frequency, weekdayOf(startMs / DAY_MS))
}

/** Finds the rule of a series, or the assumed one of its frequency. */
export const findRule = (series: ReleasedSeries): ReleaseRule | undefined =>
  releaseRules.find((each) => fits(each, series))

function fits(rule: ReleaseRule, { route, frequency, facets = {} }: ReleasedSeries): boolean {
  const isRoute = (each: string) =>
    each.endsWith('*') ? route.startsWith(each.slice(0, -1)) : each === route
  if (!rule.frequencies.includes(frequency) || !rule.routes.some(isRoute)) return false
  return Object.entries(rule.facets ?? {}).every(([facet, value]) => facets[facet] === value)
}

const calendars = new Map<string, Calendar>()

function calendarOf(rule: ReleaseRule, frequency: string, periodWeekday: number): Calendar {
  const weekday = rule.weekday ?? periodWeekday
  const key = `${rule.rule} ${frequency} ${isWeekly(frequency) ? weekday : ''}`
  const known = calendars.get(key)
  if (known !== undefined) return known
  const created = createCalendar(rule, frequency, weekday)
  calendars.set(key, created)
  return created
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const

const isWeekly = (frequency: string): boolean => frequency === 'weekly' || frequency === 'four-week-average'

// Weekdays and leap years repeat every 28 years. Of daily releases, each year has the longest gap: a weekend beside a holiday.
const GAPS_FROM = Date.UTC(2026, 0, 1)
const MAX_GAPS = 1_500
/** Releases of one calendar. Periods on chain may have any value. */
const MAX_REMEMBERED = 1_000

function createCalendar(rule: ReleaseRule, frequency: string, weekday: number): Calendar {
  const grid = rule.isWeekdaysOnly ? weekdayGrid : gridOf(frequency, weekday)
  const releases = new Map<number, number>()
  const releaseOf = (index: number): number => {
    const found = releases.get(index) ?? releaseAt(rule, grid.startOf(index))
    if (releases.size > MAX_REMEMBERED) releases.clear()
    releases.set(index, found)
    return found
  }
  const newestAt = (now: number): number => {
    let index = grid.indexOf(now) + 1
    while (releaseOf(index) > now) index -= 1
    return index
  }
  const periodOf = (startMs: number): number => {
    const period = encodePeriodStart(frequency, startMs)
    if (period === null) throw new TypeError(`EIA has no frequency ${frequency}`)
    return period
  }
  const planOf = (index: number): PlannedRelease => {
    const startMs = grid.startOf(index)
    return { ...planRelease(rule, startMs), period: periodOf(startMs), startMs }
  }
  const releasesFrom = (index: number): Releases => [releaseOf(index), releaseOf(index + 1)]
  let gapMs: number | null = null
  let last: Due | null = null
  return {
    name: isWeekly(frequency) && rule.weekday === undefined ? `${rule.rule}-${WEEKDAYS[weekday]}` : rule.rule,
    rule,
    graceMs: rule.graceHours * HOUR_MS,
    longestGapMs() {
      gapMs ??= longestGap((index) => regularReleaseAt(rule, grid.startOf(index)), grid.indexOf(GAPS_FROM))
      return gapMs
    },
    dueAt(now) {
      if (last !== null && last.dueAt <= now && now < last.nextDueAt) return last
      const index = newestAt(now)
      const startMs = grid.startOf(index)
      last = {
        expectedPeriod: periodOf(startMs),
        dueAt: releaseOf(index),
        nextDueAt: releaseOf(index + 1),
        era: eraOf(rule, startMs),
      }
      return last
    },
    releasesAfterPeriod: (startMs) => releasesFrom(grid.indexOf(startMs) + 1),
    releasesSince: (ms) => releasesFrom(newestAt(ms) + 1),
    releaseOf: (startMs) => releaseOf(grid.indexOf(startMs)),
    plan(from, to) {
      const planned: PlannedRelease[] = []
      for (let index = newestAt(from - 1) + 1; releaseOf(index) < to; index += 1) planned.push(planOf(index))
      // A market that is closed has no price to release.
      return rule.isWeekdaysOnly ? planned.filter(({ startMs }) => isWorkday(startMs / DAY_MS)) : planned
    },
  }
}

function longestGap(releaseOf: (index: number) => number, from: number): number {
  const releases = Array.from({ length: MAX_GAPS }, (_, count) => releaseOf(from + count))
  return Math.max(...releases.map((at, count) => at - (releases[count - 1] ?? at)))
}

/** Numbers the periods of a frequency consecutively. */
interface Grid {
  /** The number of the period that contains a moment. */
  indexOf(ms: number): number
  startOf(index: number): number
}

function gridOf(frequency: string, weekday: number): Grid {
  const length = lengthOfPeriod(frequency)
  if (length === null) throw new TypeError(`EIA has no frequency ${frequency}`)
  if ('months' in length) return monthGrid(length.months)
  const { ms } = length
  const firstMs = isWeekly(frequency) ? weekdayFrom(0, weekday) * DAY_MS : 0
  return {
    indexOf: (at) => Math.floor((at - firstMs) / ms),
    startOf: (index) => firstMs + index * ms,
  }
}

/** 5 January 1970. */
const FIRST_MONDAY = 4

const weekdayGrid: Grid = {
  indexOf(ms) {
    const day = Math.floor(ms / DAY_MS) - FIRST_MONDAY
    const week = Math.floor(day / 7)
    // A Saturday or Sunday belongs to the Friday before.
    return week * 5 + Math.min(day - week * 7, 4)
  },
  startOf: (index) => (FIRST_MONDAY + Math.floor(index / 5) * 7 + (((index % 5) + 5) % 5)) * DAY_MS,
}

function monthGrid(months: number): Grid {
  return {
    indexOf(ms) {
      const date = new Date(ms)
      return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / months)
    },
    startOf: (index) => dayOf(0, 1 + index * months, 1) * DAY_MS,
  }
}
