import { DAY_MS } from '@wattfeed/base'

/** A date as the number of days since 1970-01-01. @param month from 1; one beyond the year is in the next */
export const dayOf = (year: number, month: number, day: number): number =>
  // Date.UTC treats years before 100 as years of the 20th century.
  new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS

/** Weekdays, as {@link weekdayOf} counts them. */
export const [SUNDAY, MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY] = [0, 1, 2, 3, 4, 5, 6] as const

/** The weekday of a date, from 0 for Sunday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7

/** The first date with this weekday, on or after another date. */
export const weekdayFrom = (day: number, weekday: number): number =>
  day + ((weekday - weekdayOf(day) + 7) % 7)
