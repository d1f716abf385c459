import {
  type ClockTime,
  type DelayedRelease,
  type MonthlyRelease,
  type ReleaseRule,
  type RuleEra,
  releaseRules,
  type WeeklyRelease,
} from './calendarRules.ts'
import { dayOf, type FederalHoliday, federalHolidayOn, weekdayFrom, weekdayOf } from './holidays.ts'
import { lengthOfPeriod, periodAt } from './period.ts'

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
export interface PlannedRelease {
  readonly period: number
  /** First instant of the period. */
  readonly startMs: number
  readonly at: number
  /** The rule that applies to the period. */
  readonly era: RuleEra
  /** The reason why the release is not at its usual time: a holiday, or an announcement of EIA; null if it is. */
  readonly movedBy: FederalHoliday | 'announcement' | null
  /** The time without weekends, holidays and announcements. */
  readonly usualAt: number
  /** How often the rules have moved the release, as {@link countMoves} counts. */
  readonly moves: number
}

/** When EIA releases the periods of a frequency, by one rule. All times are epoch milliseconds. */
export interface Calendar {
  /** Names the schedule. It is the same for all feeds whose periods are released together. */
  readonly name: string
  readonly rule: ReleaseRule
  readonly graceMs: number
  /** Maximum time between two regular releases. */
  readonly longestGapMs: () => number
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

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Finds the calendar of a series: by EIA's rules, or by its frequency without a rule. Null for a frequency that EIA does not have.
 *
 * @param startMs - start of any period of the feed; a rule without a weekday counts weeks from it
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
  const found = calendars.get(key) ?? createCalendar(rule, frequency, weekday)
  calendars.set(key, found)
  return found
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
  const planOf = (index: number): PlannedRelease => {
    const startMs = grid.startOf(index)
    return { ...planRelease(rule, startMs), period: periodAt(frequency, startMs) ?? Number.NaN, startMs }
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
        expectedPeriod: periodAt(frequency, startMs) ?? Number.NaN,
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
  if (length !== null && 'months' in length) return monthGrid(length.months)
  const ms = length?.ms ?? HOUR_MS
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

/** The era of a period. Periods before the first era belong to it. */
function eraOf({ rule, eras }: ReleaseRule, startMs: number): RuleEra {
  const era = eras.findLast(({ validFrom }) => Date.parse(validFrom) <= startMs) ?? eras[0]
  if (era === undefined) throw new TypeError(`the rule ${rule} has no era`)
  return era
}

/** A release at a New York time, and the holiday that moves it to that time. */
interface Regular {
  at: number
  usualAt: number
  holiday: FederalHoliday | null
}

function planRelease(rule: ReleaseRule, startMs: number): Omit<PlannedRelease, 'period' | 'startMs'> {
  const era = eraOf(rule, startMs)
  const { at, usualAt, holiday } = regularRelease(era, startMs)
  const announced = announcedTimes(era, startMs)
  const newest = announced.at(-1)
  return {
    at: newest === undefined ? at : announcedRelease(newest),
    era,
    movedBy: newest === undefined ? holiday : 'announcement',
    usualAt,
    moves: countMoves(rule, startMs),
  }
}

/**
 * Counts how often a rule has moved the release of the period that starts at this moment. Each newer era counts, and in each era
 * a weekend or holiday, and each announcement. The count grows with every era and announcement that the rule gains, so it can be
 * the SEQUENCE of an iCalendar event.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5545#section-3.8.7.4
 */
export function countMoves(rule: ReleaseRule, startMs: number): number {
  const newest = rule.eras.indexOf(eraOf(rule, startMs))
  // The moves of older eras count, too. Otherwise a newer era without them would not raise the count.
  return rule.eras.slice(0, newest + 1).reduce((moves, era) => {
    const { at, usualAt } = regularRelease(era, startMs)
    return moves + (at === usualAt ? 0 : 1) + announcedTimes(era, startMs).length
  }, newest)
}

/** The release time of the period that starts at this moment. */
function releaseAt(rule: ReleaseRule, startMs: number): number {
  const era = eraOf(rule, startMs)
  const announced = announcedTimes(era, startMs).at(-1)
  return announced === undefined ? regularRelease(era, startMs).at : announcedRelease(announced)
}

const announcedTimes = ({ exceptions = {} }: RuleEra, startMs: number): readonly string[] =>
  exceptions[new Date(startMs).toISOString().slice(0, 10)] ?? []

function announcedRelease(announced: string): number {
  const [date = '', at = ''] = announced.split(' ')
  return inNewYork(Date.parse(date) / DAY_MS, at)
}

const regularReleaseAt = (rule: ReleaseRule, startMs: number): number =>
  regularRelease(eraOf(rule, startMs), startMs).at

function regularRelease({ release }: RuleEra, startMs: number): Regular {
  if (release.kind === 'weekly') return weeklyRelease(release, startMs / DAY_MS)
  if (release.kind === 'monthly') return monthlyRelease(release, startMs)
  const usualAt = delayedRelease(release, startMs)
  // Not a holiday's move: the usual day is itself assumed.
  return { at: release.isOnWorkday ? workdayFrom(usualAt) : usualAt, usualAt, holiday: null }
}

function weeklyRelease({ days, at, moved }: WeeklyRelease, day: number): Regular {
  const sunday = day + days - weekdayOf(day + days)
  const holidayIn = (weekdays: readonly number[], names: readonly string[] | undefined) =>
    weekdays
      .map((weekday) => federalHolidayOn(sunday + weekday))
      .find((holiday) => holiday !== null && (names?.includes(holiday) ?? true)) ?? null
  const usualAt = inNewYork(day + days, at)
  for (const move of moved) {
    const holiday = holidayIn(move.holidayOn, move.holidays)
    if (holiday !== null) return { at: inNewYork(day + move.days, move.at), usualAt, holiday }
  }
  return { at: usualAt, usualAt, holiday: null }
}

function monthlyRelease({ months, on, at }: MonthlyRelease, startMs: number): Regular {
  const start = new Date(startMs)
  const dayIn = (month: number, day: number) =>
    dayOf(start.getUTCFullYear(), start.getUTCMonth() + 1 + months + month, day)
  if (on === 'STEO') {
    const tuesday = weekdayFrom(weekdayFrom(dayIn(0, 1), THURSDAY), TUESDAY)
    const holiday = federalHolidayOn(tuesday - 1)
    const usualAt = inNewYork(tuesday, at)
    return { at: holiday === null ? usualAt : inNewYork(tuesday + 1, at), usualAt, holiday }
  }
  const released = inNewYork(workdayOf(on, dayIn), at)
  return { at: released, usualAt: released, holiday: null }
}

const [SUNDAY, TUESDAY, THURSDAY, SATURDAY] = [0, 2, 4, 6] as const

function workdayOf(on: number | 'last workday', dayIn: (month: number, day: number) => number): number {
  return on === 'last workday' ? nearestWorkday(dayIn(1, 0), -1) : nearestWorkday(dayIn(0, on), 1)
}

function nearestWorkday(from: number, step: 1 | -1): number {
  let day = from
  while (!isWorkday(day)) day += step
  return day
}

/** A moment at midnight UTC, or that of the next workday. */
const workdayFrom = (ms: number): number => nearestWorkday(ms / DAY_MS, 1) * DAY_MS

/** Whether a date is neither on a weekend nor a federal holiday. @param day since 1970-01-01 */
export const isWorkday = (day: number): boolean =>
  ![SATURDAY, SUNDAY].some((each) => each === weekdayOf(day)) && federalHolidayOn(day) === null

function delayedRelease({ by }: DelayedRelease, startMs: number): number {
  if ('hours' in by) return startMs + by.hours * HOUR_MS
  const start = new Date(startMs)
  return dayOf(start.getUTCFullYear(), start.getUTCMonth() + 1 + by.months, 1) * DAY_MS
}

/** Converts a New York time of a day to epoch milliseconds. */
function inNewYork(day: number, at: ClockTime | string): number {
  const date = new Date(day * DAY_MS)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  const [hour, minute] = at.split(':').map(Number)
  return new Temporal.PlainDateTime(year, month, date.getUTCDate(), hour, minute).toZonedDateTime(
    'America/New_York',
  ).epochMilliseconds
}
