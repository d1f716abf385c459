import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { openLostPeriods } from '../../../src/agent/look/lostPeriods.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../../support/folder.ts'
import { feedOf } from '../run/fakes.ts'

const HOUR_S = 3_600
const T = Date.parse('2026-11-20T00:00Z') / 1000
const hourly = feedOf('H', { frequency: 'hourly' })
const { feed_id } = hourly

function createBench(folder: { path: string }) {
  const calls: (readonly number[])[][] = []
  const warned: object[] = []
  const path = `${folder.path}/gaps-casper-net-1.json`
  const open = () =>
    openLostPeriods({
      path,
      log: { warn: (fields: object) => void warned.push(fields) },
      onLost: (_, lost, added) => void calls.push([lost, added]),
    })
  return { calls, warned, path, open }
}

const hour = (count: number) => T + count * HOUR_S

const seenAt = (hours: number, gaps: readonly number[], held: readonly number[] = []) => ({
  latest: hour(hours),
  gaps,
  prints: new Map(held.map((period) => [period, {}])),
})

test('default: a gap that leaves the window is lost until it is on chain, and is added once, even across restarts', async () => {
  using folder = createFolder()
  const { calls, open, path } = createBench(folder)
  const first = await open()
  await first.note(hourly, seenAt(60, [T]))
  await first.note(hourly, seenAt(61, []))
  const second = await open()
  expect(second.list(feed_id)).toEqual([T])
  await second.note(hourly, seenAt(62, []))
  await second.note(hourly, seenAt(62, [], [T]))
  expect(calls).toEqual([
    [[], []],
    [[T], [T]],
    [[T], []],
    [[], []],
  ])
  expect([second.list(feed_id), JSON.parse(readFileSync(path, 'utf8'))]).toEqual([
    [],
    { [feed_id]: { latest: hour(62), gaps: [], lost: [] } },
  ])
})

test('behavior: a gap that leaves the window while the agent is down is lost', async () => {
  using folder = createFolder()
  const { calls, open } = createBench(folder)
  await (await open()).note(hourly, seenAt(10, [T, hour(1)]))
  await (await open()).note(hourly, seenAt(70, [hour(60)], [hour(1)]))
  expect(calls.at(-1)).toEqual([[T], [T]])
})

test('behavior: a gap that is attested, or no gap any more, is not lost', async () => {
  using folder = createFolder()
  const { calls, open } = createBench(folder)
  const periods = await open()
  await periods.note(hourly, seenAt(50, [T, T + 20 * HOUR_S]))
  await periods.note(hourly, seenAt(61, [], [T]))
  await periods.note(hourly, seenAt(99, []))
  expect(calls).toEqual([
    [[], []],
    [[], []],
    [[], []],
  ])
})

test('behavior: a period that a much newer one passed is lost, although it never was a gap', async () => {
  using folder = createFolder()
  const { calls, open } = createBench(folder)
  await (await open()).note(hourly, seenAt(1, []))
  const periods = await open()
  expect(periods.candidates(hourly, hour(66))).toEqual([2, 3, 4, 5].map(hour))
  await periods.note(hourly, seenAt(66, [], [66, 3].map(hour)))
  const lost = [2, 4, 5].map(hour)
  expect([calls.at(-1), periods.list(feed_id)]).toEqual([[lost, lost], lost])
})

test('behavior: a weekday that a daily feed does not have is not lost', async () => {
  using folder = createFolder()
  const { calls, open } = createBench(folder)
  const daily = feedOf('D', { frequency: 'daily' })
  const workdays = (month: number) =>
    [2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 16, 17].map((day) => 20260000 + 100 * month + day)
  const prints = new Map(workdays(2).map((period) => [period, {}]))
  const periods = await open()
  await periods.note(daily, { latest: 20260217, gaps: [], prints })
  await periods.note(daily, { latest: 20260425, gaps: [], prints })
  expect(calls.at(-1)?.[0]).toEqual([20260218, 20260219, 20260220, 20260223])
})

test('error: a file that cannot be written is logged, and the period is still lost', async () => {
  const { calls, open, warned } = createBench({ path: '/proc/none' })
  const periods = await open()
  await periods.note(hourly, seenAt(60, [T]))
  await periods.note(hourly, seenAt(61, []))
  expect([calls.at(-1), warned.length, periods.list(feed_id)]).toEqual([[[T], [T]], 2, [T]])
})

test('error: a broken file is named', async () => {
  using folder = createFolder()
  const { path, open } = createBench(folder)
  folder.write('gaps-casper-net-1.json', '{"EIA.H":{"gaps":')
  expect(await errorOf(open())).toMatchObject({ code: 'state_file', path })
})
