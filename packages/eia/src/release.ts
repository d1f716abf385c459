import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import type {
  ClockTime,
  DelayedRelease,
  MonthlyRelease,
  ReleaseRule,
  RuleEra,
  WeeklyRelease,
} from './calendarRules.ts'
import { type FederalHoliday, federalHolidayOn, isWorkday } from './holidays.ts'
import { dayOf, THURSDAY, TUESDAY, weekdayFrom, weekdayOf } from './period/days.ts'

/** The release of a period, by a rule. All times are epoch milliseconds. */
export interface Release {
  readonly at: number
  /** The rule that applies to the period. */
  readonly era: RuleEra
  /** The reason why the release is not at its usual time: a holiday, or an announcement of EIA; null if it is. */
  readonly movedBy: FederalHoliday | 'announcement' | null
  /** The time without weekends, holidays and announcements. */
  readonly usualAt: number
  /** How often the rules have moved the release, as `countMoves` counts. */
  readonly moves: number
}

/** Returns the release of the period that starts at this moment. */
export function planRelease(rule: ReleaseRule, startMs: number): Release {
  const era = eraOf(rule, startMs)
  const { usualAt, holiday } = regularRelease(era, startMs)
  return {
    at: releaseAt(rule, startMs),
    era,
    movedBy: announcedTimes(era, startMs).length > 0 ? 'announcement' : holiday,
    usualAt,
    moves: countMoves(rule, startMs),
  }
}

/** The era of a period. Periods before the first era belong to it. */
export function eraOf({ rule, eras }: ReleaseRule, startMs: number): RuleEra {
  const era = eras.findLast(({ validFrom }) => Date.parse(validFrom) <= startMs) ?? eras[0]
  if (era === undefined) throw new TypeError(`the rule ${rule} has no era`)
  return era
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

/** Returns the time of the release of the period that starts at this moment. */
export function releaseAt(rule: ReleaseRule, startMs: number): number {
  const era = eraOf(rule, startMs)
  const announced = announcedTimes(era, startMs).at(-1)
  return announced === undefined ? regularRelease(era, startMs).at : announcedRelease(announced)
}

/** Returns the time of a release by its rule alone, without EIA's announcements. */
export const regularReleaseAt = (rule: ReleaseRule, startMs: number): number =>
  regularRelease(eraOf(rule, startMs), startMs).at

const announcedTimes = ({ exceptions = {} }: RuleEra, startMs: number): readonly string[] =>
  exceptions[new Date(startMs).toISOString().slice(0, 10)] ?? []

function announcedRelease(announced: string): number {
  const [date = '', at = ''] = announced.split(' ')
  return inNewYork(Date.parse(date) / DAY_MS, at)
}

/** A release at a New York time, and the holiday that moves it to that time. */
interface Regular {
  at: number
  usualAt: number
  holiday: FederalHoliday | null
}

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
