import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodePeriod, PeriodError, periodStart } from '../../src/eia/period.ts'

interface CivilDate {
  year: number
  month: number
  day: number
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const lengthOf = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0)

/** Days since 1970-01-01, counted year by year and month by month. */
function countDays({ year, month, day }: CivilDate): number {
  let days = day - 1
  for (let each = 1; each < month; each++) days += lengthOf(year, each)
  for (let each = 1970; each < year; each++) days += isLeap(each) ? 366 : 365
  for (let each = year; each < 1970; each++) days -= isLeap(each) ? 366 : 365
  return days
}

const civilDate = fc
  .record({ year: fc.integer({ min: 1, max: 2400 }), month: fc.integer({ min: 1, max: 12 }) })
  .chain(({ year, month }) =>
    fc.record({
      year: fc.constant(year),
      month: fc.constant(month),
      day: fc.integer({ min: 1, max: lengthOf(year, month) }),
    }),
  )

const two = (value: number): string => String(value).padStart(2, '0')
const four = (value: number): string => String(value).padStart(4, '0')
const monthText = ({ year, month }: CivilDate): string => `${four(year)}-${two(month)}`
const dayText = (date: CivilDate): string => `${monthText(date)}-${two(date.day)}`
const DAY_MS = 86_400_000

describe('encodePeriod', () => {
  const encoded: [string, string, number][] = [
    ['annual', '2025', 2025],
    ['quarterly', '2023-Q1', 202301],
    ['quarterly', '2023-Q3', 202307],
    ['quarterly', '2023-Q4', 202310],
    ['monthly', '2026-07', 202607],
    ['weekly', '2026-07-20', 20260720],
    ['daily', '2024-02-29', 20240229],
    ['four-week-average', '2026-07-17', 20260717],
    ['hourly', '2023-01-01T00', 1672531200],
    ['hourly', '1970-01-01T00', 0],
    ['local-hourly', '2023-03-20T00-07', 1679295600],
    ['local-hourly', '2023-01-01T00+00', 1672531200],
    ['local-hourly', '1970-01-01T14+14', 0],
  ]
  test.each(encoded)('default: %s %s is %i', (frequency, text, integer) => {
    expect(encodePeriod(frequency, text)).toBe(integer)
  })

  test('behavior: dates agree with counted days', () => {
    fc.assert(
      fc.property(civilDate, (date) => {
        const { year, month, day } = date
        for (const frequency of ['daily', 'weekly', 'four-week-average']) {
          expect(encodePeriod(frequency, dayText(date))).toBe(year * 10000 + month * 100 + day)
          expect(periodStart(frequency, dayText(date))).toBe(countDays(date) * DAY_MS)
        }
        expect(encodePeriod('monthly', monthText(date))).toBe(year * 100 + month)
        expect(periodStart('monthly', monthText(date))).toBe(countDays({ ...date, day: 1 }) * DAY_MS)
        expect(encodePeriod('annual', four(year))).toBe(year)
        expect(periodStart('annual', four(year))).toBe(countDays({ year, month: 1, day: 1 }) * DAY_MS)
        const quarter = Math.ceil(month / 3)
        const first = { year, month: quarter * 3 - 2, day: 1 }
        expect(encodePeriod('quarterly', `${four(year)}-Q${quarter}`)).toBe(year * 100 + first.month)
        expect(periodStart('quarterly', `${four(year)}-Q${quarter}`)).toBe(countDays(first) * DAY_MS)
      }),
    )
  })

  test('behavior: hours agree with counted days, and the offset counts', () => {
    const hour = fc.integer({ min: 0, max: 23 })
    const offset = fc.integer({ min: -12, max: 14 })
    const recent = civilDate.filter(({ year }) => year > 1970)
    fc.assert(
      fc.property(recent, hour, offset, (date, hour, offset) => {
        const utc = countDays(date) * 86400 + hour * 3600
        const text = `${dayText(date)}T${two(hour)}`
        expect(encodePeriod('hourly', text)).toBe(utc)
        expect(periodStart('hourly', text)).toBe(utc * 1000)
        const local = `${text}${offset < 0 ? '-' : '+'}${two(Math.abs(offset))}`
        expect(encodePeriod('local-hourly', local)).toBe(utc - offset * 3600)
        expect(periodStart('local-hourly', local)).toBe((utc - offset * 3600) * 1000)
      }),
    )
  })

  test('error: dates that do not exist', () => {
    const impossible: [string, string][] = [
      ['daily', '2023-02-29'],
      ['daily', '2023-02-30'],
      ['daily', '1900-02-29'],
      ['weekly', '2026-04-31'],
      ['daily', '2026-00-10'],
      ['daily', '2026-13-10'],
      ['daily', '2026-01-00'],
      ['monthly', '2026-13'],
      ['monthly', '2026-00'],
      ['quarterly', '2026-Q5'],
      ['quarterly', '2026-Q0'],
      ['hourly', '2026-01-01T24'],
      ['hourly', '2023-02-30T05'],
      ['hourly', '1969-12-31T23'],
      ['local-hourly', '2026-01-01T00+15'],
      ['local-hourly', '2026-01-01T00-13'],
      ['local-hourly', '1970-01-01T00+01'],
    ]
    for (const [frequency, text] of impossible) {
      expect(() => encodePeriod(frequency, text)).toThrow(PeriodError)
      expect(() => periodStart(frequency, text)).toThrow(PeriodError)
    }
  })

  test('error: the form of another frequency, or none', () => {
    const texts = ['2025', '2026-07', '2026-07-20', '2023-Q3', '2023-01-01T00', '2023-01-01T00-07']
    const forms = new Map([
      ['annual', '2025'],
      ['quarterly', '2023-Q3'],
      ['monthly', '2026-07'],
      ['weekly', '2026-07-20'],
      ['daily', '2026-07-20'],
      ['four-week-average', '2026-07-20'],
      ['hourly', '2023-01-01T00'],
      ['local-hourly', '2023-01-01T00-07'],
    ])
    for (const [frequency, own] of forms) {
      for (const text of texts.filter((text) => text !== own))
        expect(() => encodePeriod(frequency, text)).toThrow(PeriodError)
      for (const text of ['', ` ${own}`, `${own} `, `${own}\n`, `x${own}`, own.replace('2', '٢')])
        expect(() => encodePeriod(frequency, text)).toThrow(PeriodError)
    }
    for (const frequency of ['', 'yearly', 'Annual', 'constructor'])
      expect(() => encodePeriod(frequency, '2025')).toThrow(PeriodError)
  })

  test('error: facts as fields, a long text cut', () => {
    const error = new PeriodError('monthly', '2026-13', 'a month, YYYY-MM')
    expect({ ...error, message: error.message }).toEqual({
      code: 'period',
      retryable: false,
      frequency: 'monthly',
      text: '2026-13',
      rule: 'a month, YYYY-MM',
      message: '"2026-13" is no monthly period: it must be a month, YYYY-MM',
    })
    expect(() => encodePeriod('annual', '1'.repeat(10_000))).toThrow(`"${'1'.repeat(80)}" is no`)
  })
})
