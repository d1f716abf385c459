import { expect, test } from 'bun:test'
import { encodePeriod } from '../src/period/period.ts'
import { readablePeriod } from '../src/period/readablePeriod.ts'

test('default: hours as times in UTC', () => {
  expect(readablePeriod(encodePeriod('hourly', '2026-11-15T23'))).toBe('2026-11-15T23:00Z')
  expect(readablePeriod(encodePeriod('local-hourly', '2026-11-15T18-05'))).toBe('2026-11-15T23:00Z')
})

test('default: other periods as they are', () => {
  const periods = { annual: '2026', quarterly: '2026-Q4', monthly: '2026-11', daily: '2026-11-13' } as const
  expect(
    Object.entries(periods).map(([frequency, text]) => readablePeriod(encodePeriod(frequency, text))),
  ).toEqual(['2026', '202610', '202611', '20261113'])
})

test('behavior: an integer that is no time', () => {
  expect(readablePeriod(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991')
})
