import { expect, test } from 'bun:test'
import { openLostPeriods } from '../../../src/agent/state/lostPeriods.ts'
import { stateOf } from '../../../src/agent/state/openState.ts'
import { createState, type TestState } from '../../support/state.ts'
import { feedOf } from '../run/fakes.ts'

const HOUR_S = 3_600
const T = Date.parse('2026-11-20T00:00Z') / 1000
const hourly = feedOf('H', { frequency: 'hourly' })
const { feed_id } = hourly

const destination = { chainName: 'casper-net-1', contract: 'cd'.repeat(32), account: 'account-hash-a' }

function createBench({ file }: TestState) {
  const calls: (readonly number[])[][] = []
  const warned: object[] = []
  const open = () =>
    openLostPeriods(
      stateOf(file, destination),
      { warn: (fields: object) => void warned.push(fields) },
      (event) => void (event.event === 'lost' && calls.push([event.lost, event.added])),
    )
  const rows = () =>
    file.database
      .query<{ feed_id: string; latest: number; gaps: string; lost: string }, []>(
        'SELECT feed_id, latest, gaps, lost FROM missing_periods',
      )
      .all()
  return { calls, warned, open, rows }
}

const hour = (count: number) => T + count * HOUR_S

const seenAt = (hours: number, gaps: readonly number[], held: readonly number[] = []) => ({
  latest: hour(hours),
  gaps,
  prints: new Map(held.map((period) => [period, {}])),
})

test('default: a gap that leaves the window is lost until it is on chain, and is added once, even across restarts', () => {
  using state = createState()
  const { calls, open, rows } = createBench(state)
  const first = open()
  first.note(hourly, seenAt(60, [T]))
  first.note(hourly, seenAt(61, []))
  const second = open()
  expect(second.list(feed_id)).toEqual([T])
  second.note(hourly, seenAt(62, []))
  second.note(hourly, seenAt(62, [], [T]))
  expect(calls).toEqual([
    [[], []],
    [[T], [T]],
    [[T], []],
    [[], []],
  ])
  expect([second.list(feed_id), rows()]).toEqual([
    [],
    [{ feed_id, latest: hour(62), gaps: '[]', lost: '[]' }],
  ])
})

test('behavior: a gap that leaves the window while the agent is down is lost', () => {
  using state = createState()
  const { calls, open } = createBench(state)
  open().note(hourly, seenAt(10, [T, hour(1)]))
  open().note(hourly, seenAt(70, [hour(60)], [hour(1)]))
  expect(calls.at(-1)).toEqual([[T], [T]])
})

test('behavior: a gap that is attested, or no gap any more, is not lost', () => {
  using state = createState()
  const { calls, open } = createBench(state)
  const periods = open()
  periods.note(hourly, seenAt(50, [T, T + 20 * HOUR_S]))
  periods.note(hourly, seenAt(61, [], [T]))
  periods.note(hourly, seenAt(99, []))
  expect(calls).toEqual([
    [[], []],
    [[], []],
    [[], []],
  ])
})

test('behavior: a period that a much newer one passed is lost, although it never was a gap', () => {
  using state = createState()
  const { calls, open } = createBench(state)
  open().note(hourly, seenAt(1, []))
  const periods = open()
  expect(periods.candidates(hourly, hour(66))).toEqual([2, 3, 4, 5].map(hour))
  periods.note(hourly, seenAt(66, [], [66, 3].map(hour)))
  const lost = [2, 4, 5].map(hour)
  expect([calls.at(-1), periods.list(feed_id)]).toEqual([[lost, lost], lost])
})

test('behavior: a weekday that a daily feed does not have is not lost', () => {
  using state = createState()
  const { calls, open } = createBench(state)
  const daily = feedOf('D', { frequency: 'daily' })
  const workdays = (month: number) =>
    [2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 16, 17].map((day) => 20260000 + 100 * month + day)
  const prints = new Map(workdays(2).map((period) => [period, {}]))
  const periods = open()
  periods.note(daily, { latest: 20260217, gaps: [], prints })
  periods.note(daily, { latest: 20260425, gaps: [], prints })
  expect(calls.at(-1)?.[0]).toEqual([20260218, 20260219, 20260220, 20260223])
})

test('error: what cannot be written is logged, is lost all the same, and is written later', () => {
  using state = createState()
  const { calls, open, warned, rows } = createBench(state)
  const periods = open()
  const { database } = state.file
  database.run('PRAGMA query_only = ON')
  periods.note(hourly, seenAt(60, [T]))
  periods.note(hourly, seenAt(61, []))
  expect([calls.at(-1), warned.length, periods.list(feed_id)]).toEqual([[[T], [T]], 2, [T]])
  database.run('PRAGMA query_only = OFF')
  expect(rows()).toEqual([])
  state.file.write(() => {})
  expect(rows()).toEqual([{ feed_id, latest: hour(61), gaps: '[]', lost: `[${T}]` }])
})
