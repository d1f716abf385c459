import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { endText, isForecast, newestPeriod } from '../src/forecast.ts'
import {
  encodePeriod,
  encodePeriodStart,
  formatPeriod,
  frequencies,
  PeriodError,
  parsePeriodStart,
  scaleOfPeriod,
} from '../src/period/period.ts'
import { isNextPeriod, periodBefore } from '../src/period/periodSteps.ts'

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
          expect(parsePeriodStart(frequency, dayText(date))).toBe(countDays(date) * DAY_MS)
        }
        expect(encodePeriod('monthly', monthText(date))).toBe(year * 100 + month)
        expect(parsePeriodStart('monthly', monthText(date))).toBe(countDays({ ...date, day: 1 }) * DAY_MS)
        expect(encodePeriod('annual', four(year))).toBe(year)
        expect(parsePeriodStart('annual', four(year))).toBe(countDays({ year, month: 1, day: 1 }) * DAY_MS)
        const quarter = Math.ceil(month / 3)
        const first = { year, month: quarter * 3 - 2, day: 1 }
        expect(encodePeriod('quarterly', `${four(year)}-Q${quarter}`)).toBe(year * 100 + first.month)
        expect(parsePeriodStart('quarterly', `${four(year)}-Q${quarter}`)).toBe(countDays(first) * DAY_MS)
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
        expect(parsePeriodStart('hourly', text)).toBe(utc * 1000)
        const local = `${text}${offset < 0 ? '-' : '+'}${two(Math.abs(offset))}`
        expect(encodePeriod('local-hourly', local)).toBe(utc - offset * 3600)
        expect(parsePeriodStart('local-hourly', local)).toBe((utc - offset * 3600) * 1000)
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
      expect(() => parsePeriodStart(frequency, text)).toThrow(PeriodError)
    }
  })

  test('error: the form of another frequency, or an invalid one', () => {
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
      message: '"2026-13" is not a monthly period: it must be a month, YYYY-MM',
    })
    expect(() => encodePeriod('annual', '1'.repeat(10_000))).toThrow(`"${'1'.repeat(80)}" is no`)
  })
})

const all = ['annual', 'quarterly', 'monthly', 'weekly', 'daily', 'four-week-average', 'hourly']

/** The text of the period that contains an hour, for a frequency. */
function textOf(frequency: string, date: CivilDate, hour: number): string {
  if (frequency === 'annual') return four(date.year)
  if (frequency === 'quarterly') return `${four(date.year)}-Q${Math.ceil(date.month / 3)}`
  if (frequency === 'monthly') return monthText(date)
  return frequency === 'hourly' ? `${dayText(date)}T${two(hour)}` : dayText(date)
}

const recent = civilDate.filter(({ year }) => year > 1970 && year < 9999)
const hours = fc.integer({ min: 0, max: 23 })

describe('formatPeriod', () => {
  test('behavior: the inverse of encodePeriod', () => {
    fc.assert(
      fc.property(recent, hours, fc.constantFrom(...all), (date, hour, frequency) => {
        const text = textOf(frequency, date, hour)
        expect(formatPeriod(frequency, encodePeriod(frequency, text))).toBe(text)
      }),
    )
    expect(formatPeriod('annual', 7)).toBe('0007')
  })

  test('behavior: null for an integer that is not a period, and for local hours', () => {
    const none: [string, number][] = [
      ['annual', 10_000],
      ['annual', -1],
      ['annual', 2025.5],
      ['quarterly', 202302],
      ['quarterly', 202313],
      ['monthly', 202313],
      ['monthly', 202300],
      ['daily', 20230229],
      ['weekly', 202302],
      ['hourly', 1],
      ['hourly', -3600],
      ['hourly', 2 ** 53],
      ['hourly', Number.NaN],
      ['local-hourly', 1679295600],
      ['yearly', 2025],
    ]
    expect(none.map(([frequency, integer]) => formatPeriod(frequency, integer))).toEqual(none.map(() => null))
  })

  test('behavior: any integer is a period of its text, or none', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.maxSafeInteger()),
        fc.constantFrom(...all),
        (integer, frequency) => {
          const text = formatPeriod(frequency, integer)
          if (text !== null) expect(encodePeriod(frequency, text)).toBe(integer)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('newestPeriod', () => {
  const at = (time: string) => (frequency: string) => newestPeriod(frequency, Date.parse(time))

  test('default: the last month, quarter and year that is over; today and this hour', () => {
    const kinds = ['annual', 'quarterly', 'monthly', 'weekly', 'four-week-average', 'daily', 'hourly']
    expect(kinds.map(at('2026-11-20T12:59:59Z'))).toEqual([
      ...['2025', '2026-Q3', '2026-10', '2026-11-20', '2026-11-20', '2026-11-20', '2026-11-20T12'],
    ])
    expect(kinds.map(at('2026-01-01T00:00:00Z'))).toEqual([
      ...['2025', '2025-Q4', '2025-12', '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01T00'],
    ])
  })

  test('behavior: of local hours a date that none reaches; null for what is no frequency', () => {
    expect(['local-hourly', 'constructor'].map(at('2026-11-20T23:00:00Z'))).toEqual(['2026-11-22', null])
  })

  test('behavior: it is no forecast, and the period after it is one', () => {
    const known = fc.constantFrom('annual', 'quarterly', 'monthly', 'daily', 'hourly')
    const moments = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2100, 0) })
    fc.assert(
      fc.property(known, moments, (frequency, now) => {
        const newest = newestPeriod(frequency, now) ?? ''
        expect(isForecast(frequency, newest, now)).toBe(false)
        const later = [0, 30, 92, 366, 1 / 24, 1].map(
          (days) => newestPeriod(frequency, now + days * 864e5) ?? '',
        )
        const next = later.find((each) =>
          isNextPeriod(frequency, encodePeriod(frequency, newest), encodePeriod(frequency, each)),
        )
        if (next !== undefined) expect(isForecast(frequency, next, now)).toBe(true)
      }),
    )
  })
})

describe('endText', () => {
  test('default: the text of a period; for a local hour a later date; null for what is no period', () => {
    const hour = Date.parse('2026-11-20T23:00:00Z') / 1000
    expect([endText('quarterly', 202607), endText('local-hourly', hour)]).toEqual(['2026-Q3', '2026-11-22'])
    expect([endText('local-hourly', Number.MAX_SAFE_INTEGER), endText('never', 2026)]).toEqual([null, null])
  })
})

describe('isNextPeriod', () => {
  const nexts: [string, string, string][] = [
    ['annual', '2025', '2026'],
    ['annual', '1999', '2000'],
    ['quarterly', '2025-Q1', '2025-Q2'],
    ['quarterly', '2025-Q4', '2026-Q1'],
    ['monthly', '2026-01', '2026-02'],
    ['monthly', '2026-12', '2027-01'],
    ['weekly', '2026-12-25', '2027-01-01'],
    ['weekly', '2024-02-23', '2024-03-01'],
    ['four-week-average', '2026-11-13', '2026-11-20'],
    ['daily', '2024-02-28', '2024-02-29'],
    ['daily', '2023-02-28', '2023-03-01'],
    ['hourly', '2026-12-31T23', '2027-01-01T00'],
    ['local-hourly', '2026-11-01T01-05', '2026-11-01T01-06'],
    ['local-hourly', '2026-03-08T01-06', '2026-03-08T03-05'],
  ]
  test.each(nexts)('default: %s %s comes before %s', (frequency, earlier, later) => {
    const [from, to] = [encodePeriod(frequency, earlier), encodePeriod(frequency, later)]
    expect([
      isNextPeriod(frequency, from, to),
      isNextPeriod(frequency, to, from),
      isNextPeriod(frequency, from, from),
    ]).toEqual([true, false, false])
  })

  test('behavior: false where a period lies between', () => {
    const gaps: [string, number, number][] = [
      ['annual', 2024, 2026],
      ['quarterly', 202510, 202604],
      ['monthly', 202611, 202701],
      ['weekly', 20261106, 20261120],
      ['weekly', 20261106, 20261112],
      ['four-week-average', 20261023, 20261120],
      ['daily', 20261120, 20261123],
      ['hourly', 3600, 10_800],
      ['local-hourly', 3600, 10_800],
    ]
    expect(gaps.map((gap) => isNextPeriod(...gap))).toEqual(gaps.map(() => false))
  })

  test('behavior: false for what is not a period, or no frequency', () => {
    const none: [string, number, number][] = [
      ['monthly', 202612, 202613],
      ['monthly', 202600, 202601],
      ['quarterly', 202501, 202502],
      ['daily', 20230228, 20230229],
      ['hourly', 0, 1],
      ['local-hourly', 1, 3601],
      ['annual', 9999, 10_000],
      ['annual', Number.NaN, Number.NaN],
      ['yearly', 2025, 2026],
    ]
    expect(none.map((pair) => isNextPeriod(...pair))).toEqual(none.map(() => false))
  })

  test('behavior: agrees with counted days', () => {
    const lengths = new Map([
      ['daily', 1],
      ['weekly', 7],
      ['four-week-average', 7],
    ])
    fc.assert(
      fc.property(recent, recent, fc.constantFrom(...lengths.keys()), (one, other, frequency) => {
        const isNext = isNextPeriod(
          frequency,
          encodePeriod(frequency, dayText(one)),
          encodePeriod(frequency, dayText(other)),
        )
        expect(isNext).toBe(countDays(other) - countDays(one) === lengths.get(frequency))
      }),
    )
  })
})

describe('periodBefore', () => {
  test.each([
    ['annual', '2026', 3, '2023'],
    ['quarterly', '2026-Q1', 5, '2024-Q4'],
    ['monthly', '2026-03', 12, '2025-03'],
    ['weekly', '2026-11-20', 2, '2026-11-06'],
    ['daily', '2026-11-23', 6, '2026-11-17'],
    ['hourly', '2026-11-20T01', 2, '2026-11-19T23'],
    ['daily', '2026-11-23', 0, '2026-11-23'],
  ])('default: %s %s and %i steps back', (frequency, period, steps, earlier) => {
    expect(periodBefore(frequency, encodePeriod(frequency, period), steps)).toBe(
      encodePeriod(frequency, earlier),
    )
  })
})

test('scaleOfPeriod: the digits of every period since September 2001', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...frequencies),
      fc.integer({ min: Date.UTC(2001, 8, 9, 2), max: Date.UTC(2286, 0) }),
      (frequency, ms) => {
        const period = Math.floor(encodePeriodStart(frequency, ms) ?? Number.NaN)
        expect(String(period)).toHaveLength(scaleOfPeriod(frequency)?.digits ?? 0)
      },
    ),
  )
  expect(scaleOfPeriod('yearly')).toBeNull()
})
