import { describe, expect, test } from 'bun:test'
import type { StatusInput } from '../../../src/feeds/status/feedStatus.ts'
import {
  daysAround,
  listSchedules,
  planReleases,
  type ReleaseSchedule,
} from '../../../src/feeds/status/schedules.ts'

const NOW = Date.parse('2026-11-24T12:00Z')
const DAY = 86_400_000

const reading = (feed_id: string, fields: Partial<StatusInput>): StatusInput => ({
  feed_id,
  route: 'natural-gas/stor/wkly',
  frequency: 'weekly',
  description: '',
  period: 20_261_113,
  updated_at: 0,
  ...fields,
})

function only(fields: Partial<StatusInput>): ReleaseSchedule {
  const [schedule] = listSchedules([reading('A', fields)])
  if (schedule === undefined) throw new Error('no schedule')
  return schedule
}

const shown = (schedule: ReleaseSchedule, days = daysAround(NOW, { before: 0, after: 60 })) =>
  planReleases(schedule, NOW, days).map(
    ({ period, at, moves, movedBy }) =>
      `${period} ${new Date(at).toISOString().slice(0, 16)} ${moves} ${movedBy}`,
  )

describe('listSchedules', () => {
  test('default: feeds whose periods are released together share a schedule', () => {
    const stocks = { route: 'petroleum/stoc/wstk' }
    const schedules = listSchedules([
      reading('A', stocks),
      reading('B', {}),
      reading('C', { ...stocks, frequency: 'four-week-average' }),
      reading('D', { route: 'other', period: 20_261_113 }),
      reading('E', { route: 'other', period: 20_261_116 }),
      reading('F', { frequency: 'fortnightly' }),
      reading('G', { period: 7 }),
    ])
    expect(schedules.map(({ calendar, feedIds }) => [calendar.name, feedIds])).toEqual([
      ['petroleum-status', ['A', 'C']],
      ['natural-gas-storage', ['B']],
      ['by-frequency-weekly-friday', ['D']],
      ['by-frequency-weekly-monday', ['E']],
    ])
  })
})

describe('planReleases', () => {
  test('default: the releases of the days, with their moves', () => {
    expect(shown(only({}), daysAround(NOW, { before: 12, after: 17 }))).toEqual([
      '20261106 2026-11-13T15:30 1 Veterans Day',
      '20261113 2026-11-19T15:30 0 null',
      '20261120 2026-11-25T17:00 1 Thanksgiving Day',
      '20261127 2026-12-03T15:30 0 null',
      '20261204 2026-12-10T15:30 0 null',
    ])
  })

  test('behavior: a schedule of every hour has only the next release', () => {
    const hourly = { route: 'electricity/rto/fuel-type-data', frequency: 'hourly', period: 1_795_406_400 }
    expect(shown(only(hourly))).toEqual(['1795438800 2026-11-24T13:00 0 null'])
  })

  test('behavior: a schedule without a release on the days has the next one', () => {
    expect(shown(only({ route: 'x', frequency: 'annual', period: 2_025 }))).toEqual([
      '2025 2027-01-04T00:00 1 null',
    ])
  })

  test('behavior: a release at this very moment is planned for the day, and is not the next one', () => {
    const schedule = only({})
    const now = Date.parse('2026-11-25T17:00Z')
    const [first, second] = planReleases(schedule, now, daysAround(now, { before: 0, after: 1 }))
    expect([first?.at, second?.period]).toEqual([now, 20_261_127])
  })

  test('behavior: a move raises `moves`: by a newer era, a holiday and each announcement', () => {
    const moves = (route: string, time: string) => {
      const now = Date.parse(time)
      const days = { from: now, to: now + 7 * DAY }
      return planReleases(only({ route }), now, days).map(({ moves, movedBy }) => [moves, movedBy])
    }
    expect(moves('natural-gas/stor/wkly', '2025-12-26T00:00Z')).toEqual([
      // The holiday's time gave way to an announcement.
      [2, 'announcement'],
      [1, "New Year's Day"],
    ])
    expect(moves('petroleum/stoc/wstk', '2024-12-16T00:00Z')).toEqual([[0, null]])
    expect(moves('petroleum/stoc/wstk', '2026-03-09T00:00Z')).toEqual([[1, null]])
    expect(moves('petroleum/stoc/wstk', '2025-12-28T00:00Z').at(0)).toEqual([2, 'announcement'])
  })
})
