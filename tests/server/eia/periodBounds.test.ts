import { expect, test } from 'bun:test'
import { EiaParameterError } from '../../../src/server/eia/eiaErrors.ts'
import { readPeriodBounds } from '../../../src/server/eia/periodBounds.ts'

const PERIODS: Readonly<Record<string, readonly string[]>> = {
  annual: ['2022', '2023', '2024'],
  quarterly: ['2022-Q4', '2023-Q1', '2023-Q2'],
  monthly: ['2022-12', '2023-01', '2023-02'],
  weekly: ['2022-12-30', '2023-01-01', '2023-01-08'],
  hourly: ['2022-12-31T23', '2023-01-01T00', '2023-01-01T01'],
  'local-hourly': ['2022-12-31T23-07', '2023-01-01T00-07', '2023-01-01T00-08', '2023-01-01T01-07'],
}

/** The periods of the list from one bound to another. */
function between(frequency: string, bounds: { start?: string; end?: string }): string[] {
  const { from, to } = readPeriodBounds(frequency, bounds)
  return (PERIODS[frequency] ?? []).filter(
    (period) => (from === null || period >= from) && (to === null || period <= to),
  )
}

const starts: [string, string, string][] = [
  ['annual', '2023', '2023'],
  ['annual', '2023-01', '2023'],
  ['annual', '2023-01-02', '2024'],
  ['quarterly', '2023-Q1', '2023-Q1'],
  ['quarterly', '2023', '2023-Q1'],
  ['quarterly', '2023-02', '2023-Q2'],
  ['monthly', '2023-01', '2023-01'],
  ['monthly', '2023-01-01', '2023-01'],
  ['monthly', '2023-01-01T00', '2023-01'],
  ['monthly', '2023-01-02', '2023-02'],
  ['monthly', '2023-Q1', '2023-01'],
  ['weekly', '2023-01-01', '2023-01-01'],
  ['weekly', '2023', '2023-01-01'],
  ['weekly', '2023-01-01T01', '2023-01-08'],
  ['hourly', '2023-01-01', '2023-01-01T00'],
  ['hourly', '2023-01-01T00:00', '2023-01-01T00'],
  ['hourly', '2023-01-01T00:30:00', '2023-01-01T01'],
  ['hourly', '2022-12-31T17-07:00', '2023-01-01T00'],
  ['hourly', '2023-01-01T00Z', '2023-01-01T00'],
  ['hourly', '2023-01-01T14+14:00', '2023-01-01T00'],
  ['hourly', '2023-01-01T05+05:30', '2023-01-01T00'],
  ['local-hourly', '2023-01-01', '2023-01-01T00-07'],
  ['local-hourly', '2023-01-01T00-08', '2023-01-01T00-08'],
]

test.each(starts)('default: %s periods from %s start with %s', (frequency, start, first) => {
  expect(between(frequency, { start })[0]).toBe(first)
})

const ends: [string, string, string][] = [
  ['annual', '2023', '2023'],
  ['annual', '2023-12-31', '2023'],
  ['quarterly', '2023-03', '2023-Q1'],
  ['monthly', '2023', '2023-01'],
  ['monthly', '2023-01-31', '2023-01'],
  ['weekly', '2023-01', '2023-01-01'],
  // As a recorded answer shows: the first hour of the last day is in it.
  ['hourly', '2023-01-01', '2023-01-01T00'],
  ['hourly', '2023-01-01T00:59', '2023-01-01T00'],
  ['local-hourly', '2023-01-01', '2023-01-01T00-08'],
]

test.each(ends)('default: %s periods up to %s end with %s', (frequency, end, last) => {
  expect(between(frequency, { end }).at(-1)).toBe(last)
})

test('default: without bounds, or with empty ones, all periods', () => {
  expect(readPeriodBounds('monthly', {})).toEqual({ from: null, to: null, periods: { from: null, to: null } })
  expect(between('monthly', { start: '', end: '' })).toEqual([...(PERIODS.monthly ?? [])])
})

test('behavior: the bounds for other endpoints are periods, with an offset that leaves none out', () => {
  expect(readPeriodBounds('monthly', { start: '2023-01-02', end: '2023' }).periods).toEqual({
    from: '2023-01',
    to: '2023-01',
  })
  const local = { start: '2023-01-01', end: '2023-01-01T01' }
  const { from, to } = readPeriodBounds('local-hourly', local).periods
  expect([from, to]).toEqual(['2023-01-01T00+00', '2023-01-01T01-12'])
  expect(PERIODS['local-hourly']?.filter((period) => period >= `${from}` && period <= `${to}`)).toEqual(
    between('local-hourly', local),
  )
  expect(readPeriodBounds('local-hourly', { end: '2023-01-02T00-07' }).periods.to).toBe('2023-01-02T00-07')
})

test.each(['x', '2023-13', '2023-02-30', '2023-Q5', '2023-1', '23', '2023-01-01T24', '2023-01-01T00+99:99x'])(
  'error: %s',
  (start) => {
    expect(() => readPeriodBounds('monthly', { start })).toThrow(EiaParameterError)
    expect(() => readPeriodBounds('monthly', { end: start })).toThrow('Invalid date format')
  },
)

test.each([
  '2023-01-01T00+14:01',
  '2023-01-01T00-15',
  '2023-01-01T00+05:60',
  '9999-12-31T23-05',
  '0000-01-01T00+05',
])('error: %s, whose offset or moment no period has', (start) => {
  expect(() => readPeriodBounds('hourly', { start })).toThrow(EiaParameterError)
  expect(() => readPeriodBounds('local-hourly', { end: start })).toThrow('Invalid date format')
})
