import { describe, expect, test } from 'bun:test'
import type { Calendar } from '@wattfeed/eia'
import { calendarOf } from '../../../src/feeds/status/feedStatus.ts'
import { comparePast, summarize } from '../../../src/feeds/status/punctuality.ts'

const HOUR = 3_600_000
const at = (time: string): number => Date.parse(time)

function calendarFor(route: string, frequency: string, period: number): Calendar {
  const calendar = calendarOf({ feed_id: '', route, frequency, description: '', period, updated_at: 0 })
  if (calendar === null) throw new Error('no calendar')
  return calendar
}

const storage = calendarFor('natural-gas/stor/wkly', 'weekly', 20_261_113)

const values = (...prints: [period: number, time: string][]) =>
  prints.map(([period, time]) => ({ period, timestamp: at(time) }))

describe('comparePast', () => {
  const newest = values(
    [20_261_016, '2026-10-22T15:00Z'],
    [20_261_023, '2026-10-29T14:31Z'],
    // A revision is not the first value of its period.
    [20_261_016, '2026-10-30T12:00Z'],
    [20_261_030, '2026-11-05T21:30Z'],
    // Moved by Veterans Day.
    [20_261_106, '2026-11-13T21:30:00.001Z'],
  )

  test('default: the planned and the attested time of each period, and whether it came within the grace', () => {
    expect(comparePast(storage, 'weekly', { values: newest, isWhole: true })).toEqual([
      {
        period: 20_261_023,
        dueAt: at('2026-10-29T14:30Z'),
        attestedAt: at('2026-10-29T14:31Z'),
        delayMs: 60_000,
        isOnTime: true,
      },
      {
        period: 20_261_030,
        dueAt: at('2026-11-05T15:30Z'),
        attestedAt: at('2026-11-05T21:30Z'),
        delayMs: 6 * HOUR,
        isOnTime: true,
      },
      {
        period: 20_261_106,
        dueAt: at('2026-11-13T15:30Z'),
        attestedAt: at('2026-11-13T21:30:00.001Z'),
        delayMs: 6 * HOUR + 1,
        isOnTime: false,
      },
    ])
  })

  test('behavior: periods that were due before the feed had a value are left out, because they were backfilled', () => {
    const backfilled = values(
      [20_261_002, '2026-10-30T10:00Z'],
      [20_261_023, '2026-10-30T10:00Z'],
      [20_261_030, '2026-11-05T16:00Z'],
    )
    const past = comparePast(storage, 'weekly', { values: backfilled, isWhole: true })
    expect(past.map(({ period }) => period)).toEqual([20_261_030])
  })

  test('behavior: without the older values, only periods after the first transaction are certainly new', () => {
    const [, ...later] = newest
    const past = comparePast(storage, 'weekly', { values: later, isWhole: false })
    expect(past.map(({ period }) => period)).toEqual([20_261_030, 20_261_106])
  })

  test('behavior: without the older values, the first known one may be a revision, even if it came early', () => {
    const unknown = values([20_261_023, '2026-10-29T14:00Z'], [20_261_030, '2026-11-05T16:00Z'])
    const past = comparePast(storage, 'weekly', { values: unknown, isWhole: false })
    expect(past.map(({ period }) => period)).toEqual([20_261_030])
  })

  test('behavior: a value before its planned time has a negative delay and is on time', () => {
    const early = values([20_261_016, '2026-10-22T15:00Z'], [20_261_023, '2026-10-29T14:00Z'])
    const [past] = comparePast(storage, 'weekly', { values: early, isWhole: true })
    expect([past?.delayMs, past?.isOnTime]).toEqual([-30 * 60_000, true])
  })

  test('behavior: forecasts, no values and periods of another frequency have nothing to compare', () => {
    const steo = calendarFor('steo', 'monthly', 202_712)
    const monthly = values([202_612, '2026-10-22T15:00Z'], [202_701, '2026-11-22T15:00Z'])
    expect([
      comparePast(steo, 'monthly', { values: monthly, isWhole: true }),
      comparePast(storage, 'weekly', { values: [], isWhole: true }),
      comparePast(storage, 'weekly', { values: values([7, '2026-10-22T15:00Z']), isWhole: true }),
    ]).toEqual([[], [], []])
  })
})

describe('summarize', () => {
  const past = (...delays: number[]) => delays.map((delayMs) => ({ delayMs, isOnTime: delayMs <= 10 }))

  test.each([
    [[], { releases: 0, onTime: 0, medianDelayMs: null }],
    [[7], { releases: 1, onTime: 1, medianDelayMs: 7 }],
    [[30, -5, 20], { releases: 3, onTime: 1, medianDelayMs: 20 }],
    [[1, 100, 10, 2], { releases: 4, onTime: 3, medianDelayMs: 6 }],
  ])('default: the median of %p, and how many were on time', (delays, expected) => {
    expect(summarize(past(...delays))).toEqual(expected)
  })
})
