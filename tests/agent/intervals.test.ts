import { describe, expect, test } from 'bun:test'
import { frequencies } from '@wattfeed/eia'
import { defaultIntervals, formatIntervals, readInterval } from '../../src/agent/intervals.ts'

test('default: one for each of EIA’s frequencies', () => {
  expect(Object.keys(defaultIntervals).sort()).toEqual([...frequencies].sort())
  expect(formatIntervals(defaultIntervals)).toBe(
    'hourly=10m, local-hourly=10m, daily=1h, weekly=6h, four-week-average=6h, monthly=6h, quarterly=6h, annual=1d',
  )
})

describe('readInterval', () => {
  test.each([
    ['daily=90s', 90_000],
    ['daily=1m', 60_000],
    ['daily=12h', 43_200_000],
    ['daily=7d', 604_800_000],
  ])('default: %p', (text, daily) => {
    expect(readInterval(text, defaultIntervals)).toEqual({ ...defaultIntervals, daily })
  })

  test.each([
    'daily',
    'daily=',
    'daily=5',
    'daily=0s',
    'daily=8d',
    'daily=1.5h',
    'monthly =1h',
    'yearly=1h',
    'toString=1h',
  ])('error: %p', (text) => {
    expect(() => readInterval(text, defaultIntervals)).toThrow('It must be one of hourly,')
  })
})
