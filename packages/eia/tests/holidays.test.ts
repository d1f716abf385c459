import { describe, expect, test } from 'bun:test'
import { federalHolidayOn } from '../src/holidays.ts'
import { dayOf, weekdayFrom, weekdayOf } from '../src/period/days.ts'

const onDate = (date: string) => federalHolidayOn(Date.parse(date) / 86_400_000)

/** The days when federal offices are closed, as the Office of Personnel Management lists them. */
const closed = {
  2011: '2010-12-31 2011-01-17 2011-02-21 2011-05-30 2011-07-04 2011-09-05 2011-10-10 2011-11-11 2011-11-24 2011-12-26',
  2020: '2020-01-01 2020-01-20 2020-02-17 2020-05-25 2020-07-03 2020-09-07 2020-10-12 2020-11-11 2020-11-26 2020-12-25',
  2021: '2021-01-01 2021-01-18 2021-02-15 2021-05-31 2021-06-18 2021-07-05 2021-09-06 2021-10-11 2021-11-11 2021-11-25 2021-12-24',
  2022: '2021-12-31 2022-01-17 2022-02-21 2022-05-30 2022-06-20 2022-07-04 2022-09-05 2022-10-10 2022-11-11 2022-11-24 2022-12-26',
  2026: '2026-01-01 2026-01-19 2026-02-16 2026-05-25 2026-06-19 2026-07-03 2026-09-07 2026-10-12 2026-11-11 2026-11-26 2026-12-25',
}

describe('federalHolidayOn', () => {
  test.each(Object.entries(closed))(
    'default: the holidays of %s, those on a weekend beside it',
    (year, dates) => {
      const listed = dates.split(' ')
      const from = Date.parse(listed[0] ?? '') / 86_400_000
      const found = Array.from({ length: dayOf(Number(year), 12, 28) - from }, (_, count) => from + count)
        .filter((day) => federalHolidayOn(day) !== null)
        .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10))
      expect(found).toEqual(listed)
    },
  )

  test('behavior: Inauguration Day is not a holiday', () => {
    expect([onDate('2021-01-20'), onDate('2025-01-20')]).toEqual([
      null,
      'Birthday of Martin Luther King, Jr.',
    ])
  })

  test('behavior: Juneteenth is one since 2021', () => {
    expect([onDate('2020-06-19'), onDate('2021-06-18'), onDate('2023-06-19')]).toEqual([
      null,
      'Juneteenth',
      'Juneteenth',
    ])
  })
})

test('default: days, weekdays, and the next one of a weekday', () => {
  expect([dayOf(1970, 1, 1), dayOf(2026, 13, 1), dayOf(50, 1, 1)]).toEqual([0, 20_819, -701_265])
  expect([weekdayOf(0), weekdayOf(dayOf(2026, 11, 22)), weekdayOf(-1)]).toEqual([4, 0, 3])
  expect([weekdayFrom(0, 4), weekdayFrom(0, 3)]).toEqual([0, 6])
})
