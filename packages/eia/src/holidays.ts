import { DAY_MS } from '@wattfeed/base'
import { dayOf, MONDAY, SATURDAY, SUNDAY, THURSDAY, weekdayFrom, weekdayOf } from './period/days.ts'

export type FederalHoliday = (typeof names)[number]

const names = [
  "New Year's Day",
  'Birthday of Martin Luther King, Jr.',
  "Washington's Birthday",
  'Memorial Day',
  'Juneteenth',
  'Independence Day',
  'Labor Day',
  'Columbus Day',
  'Veterans Day',
  'Thanksgiving Day',
  'Christmas Day',
] as const

const FIRST_JUNETEENTH = 2021

/**
 * The federal holiday observed on a date, or null. A holiday on a Saturday is observed on the Friday before, one on a Sunday on
 * the Monday after.
 *
 * Inauguration Day is not included, because it applies only around Washington. Closures by executive order are not included,
 * because they cannot be computed.
 *
 * @param day since 1970-01-01, as {@link dayOf} counts
 * @see https://www.law.cornell.edu/uscode/text/5/6103
 */
export function federalHolidayOn(day: number): FederalHoliday | null {
  const year = new Date(day * DAY_MS).getUTCFullYear()
  // A New Year's Day on a Saturday is observed in the year before.
  return holidaysOf(year).get(day) ?? holidaysOf(year + 1).get(day) ?? null
}

/** Returns whether a date is neither on a weekend nor a federal holiday. @param day since 1970-01-01 */
export const isWorkday = (day: number): boolean =>
  weekdayOf(day) !== SATURDAY && weekdayOf(day) !== SUNDAY && federalHolidayOn(day) === null

const known = new Map<number, ReadonlyMap<number, FederalHoliday>>()

/** The holidays of a year by the day on which they are observed. */
function holidaysOf(year: number): ReadonlyMap<number, FederalHoliday> {
  const found = known.get(year)
  if (found !== undefined) return found
  const nth = (month: number, weekday: number, count: number) =>
    weekdayFrom(dayOf(year, month, 1), weekday) + 7 * (count - 1)
  const days: Readonly<Record<FederalHoliday, number | null>> = {
    "New Year's Day": dayOf(year, 1, 1),
    'Birthday of Martin Luther King, Jr.': nth(1, MONDAY, 3),
    "Washington's Birthday": nth(2, MONDAY, 3),
    'Memorial Day': weekdayFrom(dayOf(year, 5, 25), MONDAY),
    Juneteenth: year < FIRST_JUNETEENTH ? null : dayOf(year, 6, 19),
    'Independence Day': dayOf(year, 7, 4),
    'Labor Day': nth(9, MONDAY, 1),
    'Columbus Day': nth(10, MONDAY, 2),
    'Veterans Day': dayOf(year, 11, 11),
    'Thanksgiving Day': nth(11, THURSDAY, 4),
    'Christmas Day': dayOf(year, 12, 25),
  }
  const made = new Map(
    names.flatMap((name): [number, FederalHoliday][] => {
      const day = days[name]
      return day === null ? [] : [[observedOn(day), name]]
    }),
  )
  known.set(year, made)
  return made
}

function observedOn(day: number): number {
  if (weekdayOf(day) === SATURDAY) return day - 1
  return weekdayOf(day) === SUNDAY ? day + 1 : day
}
