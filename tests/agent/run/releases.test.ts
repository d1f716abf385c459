import { describe, expect, test } from 'bun:test'
import { EiaRowsMovedError, findCalendar } from '@wattfeed/eia'
import { releaseRules } from '../../../packages/eia/src/calendarRules.ts'
import { RootsDifferError } from '../../../src/agent/committee/roots/rootVote.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals, longestPauseMs, paceOf, soonMs } from '../../../src/agent/intervals.ts'
import { allowedMs } from '../../../src/agent/monitor/health.ts'
import { Schedule } from '../../../src/agent/run/schedule.ts'
import { NewStateError } from '../../../src/agent/state/newState.ts'
import { isSeries, type SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { datasetConfig } from '../datasets/fakes.ts'
import { anySource, feedOf, rowOf } from './fakes.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const gas = feedOf('GAS', { route: 'natural-gas/stor/wkly', frequency: 'weekly' })
const stocks = feedOf('STOCKS', { route: 'petroleum/stoc/wstk', frequency: 'weekly' })
const supplied = feedOf('SUPPLIED', { route: 'petroleum/cons/wpsup', frequency: 'four-week-average' })
const steo = feedOf('STEO', { route: 'steo', frequency: 'monthly', allow_future: true })
const spot = feedOf('SPOT')

interface Look {
  at: number
  feedIds: readonly string[]
}

interface Options {
  feeds: readonly SeriesConfig[]
  from: string
  to: string
  /** How long after its release EIA's API has a period, in milliseconds. */
  delayMs?: (release: number) => number
  set?: Parameters<typeof paceOf>[0]
  random?: () => number
}

function decidedAs(
  { feed_id }: SeriesConfig,
  period: number,
  decision: 'new-period' | 'unchanged' | 'withheld',
): FeedOutcome {
  const known = { period, unit: '' }
  const result =
    decision === 'withheld'
      ? { ...known, decision, amount: null, source_hash: null }
      : { ...known, decision, amount: 1n, source_hash: '', source: anySource }
  return decidedOutcome(feed_id, { row: rowOf(), result })
}

/** The looks of an agent, on a clock that jumps from one to the next. */
function looksOf({ feeds, from, to, delayMs = () => 0, set = {}, random = () => 0.5 }: Options): Look[] {
  const schedule = new Schedule({ feeds, ...paceOf(set), random })
  const looks: Look[] = []
  const written = new Map<string, number>()
  for (let now = Date.parse(from); now < Date.parse(to); now = schedule.nextAt()) {
    const due = schedule.takeDue(now)
    if (looks.length > 20_000) throw new Error('it looks all the time')
    looks.push({ at: now, feedIds: due.map(({ feed_id }) => feed_id) })
    for (const feed of due.filter(isSeries)) schedule.settle(outcomeOf(feed, now), now)
  }
  return looks

  function outcomeOf(feed: SeriesConfig, now: number): FeedOutcome {
    const calendar = findCalendar(feed, 0)
    if (calendar === null) throw new Error('no calendar')
    const newest = calendar.dueAt(now)
    const isThere = now >= newest.dueAt + delayMs(newest.dueAt)
    const period = (isThere ? newest : calendar.dueAt(newest.dueAt - 1)).expectedPeriod
    const isNew = written.get(feed.feed_id) !== period
    written.set(feed.feed_id, period)
    return decidedAs(feed, period, isNew ? 'new-period' : 'unchanged')
  }
}

const timesOf = (looks: readonly Look[]): string[] =>
  looks.map(({ at }) => new Date(at).toISOString().slice(5, 16))

test('behavior: a dataset is read once a minute at most, apart from feeds of its frequency', () => {
  const { feed_id, title, description, source, route } = spot
  const shared = { title, description, source, route, frequency: 'daily' as const }
  const own = { unit: 'values' as const, decimals: 0 as const, dataset: { periods: 1 } }
  const dataset = { ...shared, ...own, feed_id: 'DATASET' }
  const pace = paceOf({ daily: 3_000 })
  const schedule = new Schedule({ feeds: [spot, dataset], ...pace, random: () => 0.5 })
  const times = new Map<string, number[]>([
    [feed_id, []],
    ['DATASET', []],
  ])
  for (let now = 0; now <= 2 * MINUTE; now = schedule.nextAt())
    for (const due of schedule.takeDue(now)) {
      times.get(due.feed_id)?.push(now)
      schedule.settle(decidedAs({ ...spot, feed_id: due.feed_id }, 20261120, 'unchanged'), now)
    }
  expect([times.get('DATASET'), times.get(feed_id)?.length]).toEqual([[0, MINUTE, 2 * MINUTE], 41])
  expect(longestPauseMs(dataset, pace)).toBe(MINUTE)
})

test('behavior: a dataset that has changed is read again after half an hour, until nothing changes', () => {
  const dataset = datasetConfig({ frequency: 'weekly' })
  const schedule = new Schedule({ feeds: [dataset], ...paceOf({}), random: () => 0.5 })
  const pauseAfter = (decision: 'new-period' | 'unchanged', minutes = 0) => {
    const now = Math.max(0, schedule.nextAt())
    schedule.takeDue(now)
    const settledAt = now + minutes * MINUTE
    schedule.settle(decidedAs({ ...spot, feed_id: dataset.feed_id }, 20261120, decision), settledAt)
    return (schedule.nextAt() - now) / MINUTE
  }
  expect(
    (['new-period', 'new-period', 'new-period'] as const).map((decision) => pauseAfter(decision)),
  ).toEqual([30, 30, 30])
  // From the begin of the reading, however long the committee took to attest it.
  expect(pauseAfter('new-period', 9)).toBe(30)
  expect(pauseAfter('new-period', 120)).toBe(130)
  expect(pauseAfter('unchanged')).toBeGreaterThan(30)
})

test('behavior: a dataset that has changed between two readings is read again half an hour after the first change', () => {
  const dataset = datasetConfig({ frequency: 'monthly' })
  const schedule = new Schedule({ feeds: [dataset], ...paceOf({}), random: () => 0.5 })
  schedule.takeDue(0)
  schedule.settle(decidedAs({ ...spot, feed_id: dataset.feed_id }, 20261120, 'unchanged'), 0)
  expect(schedule.nextAt()).toBeGreaterThan(40 * MINUTE)
  schedule.unsettle(dataset.feed_id, MINUTE)
  expect(schedule.nextAt()).toBe(31 * MINUTE)
  schedule.unsettle(dataset.feed_id, 2 * MINUTE)
  schedule.unsettle('ANOTHER', 0)
  expect(schedule.nextAt()).toBe(31 * MINUTE)
})

test('behavior: so is one that changes while members attest it, also if nothing is new at the end, until a later reading', () => {
  const dataset = datasetConfig({ frequency: 'monthly' })
  const schedule = new Schedule({ feeds: [dataset], ...paceOf({}), random: () => 0.5 })
  const unchanged = decidedAs({ ...spot, feed_id: dataset.feed_id }, 20261120, 'unchanged')
  schedule.takeDue(0)
  schedule.unsettle(dataset.feed_id, 2 * MINUTE)
  schedule.settle(unchanged, 5 * MINUTE)
  expect(schedule.nextAt()).toBe(32 * MINUTE)
  schedule.takeDue(32 * MINUTE)
  schedule.settle(unchanged, 33 * MINUTE)
  expect(schedule.nextAt()).toBeGreaterThan(70 * MINUTE)
})

test('behavior: a feed is tried again right after its state folder is no longer new, however often it failed before', () => {
  const schedule = new Schedule({ feeds: [spot], ...paceOf({}), random: () => 0.5 })
  const failed = (error: Error) => failedOutcome(spot.feed_id, error, { row: null, result: null })
  let now = 0
  for (let fails = 0; fails < 5; fails += 1, now = schedule.nextAt()) {
    schedule.takeDue(now)
    schedule.settle(failed(new Error('EIA is down')), now)
  }
  schedule.takeDue(now)
  schedule.settle(failed(new NewStateError({ path: 'wattfeed.db', waitsUntil: 0, waitMs: 5 * MINUTE })), now)
  expect(schedule.nextAt() - now).toBe(5.5 * MINUTE)
})

test('behavior: while rows of EIA change, a feed is tried again after two minutes at most', () => {
  const schedule = new Schedule({ feeds: [spot], ...paceOf({}), random: () => 0.5 })
  const moved = new EiaRowsMovedError({ route: spot.route, status: null })
  const delays = Array.from({ length: 6 }, () => {
    const now = Math.max(0, schedule.nextAt())
    schedule.takeDue(now)
    schedule.settle(failedOutcome(spot.feed_id, moved, { row: null, result: null }), now)
    return (schedule.nextAt() - now) / MINUTE
  })
  expect(delays).toEqual([0.5, 1, 2, 2, 2, 2])
})

test('behavior: members that hold different roots are no failure that grows the delay', () => {
  const schedule = new Schedule({ feeds: [spot], ...paceOf({}), random: () => 0.5 })
  const delayAfter = (error: Error) => {
    const now = Math.max(0, schedule.nextAt())
    schedule.takeDue(now)
    schedule.settle(failedOutcome(spot.feed_id, error, { row: null, result: null }), now)
    return schedule.nextAt() - now
  }
  const facts = { feedId: spot.feed_id, own: 'ab', members: ['north'], first: null }
  const differ = new RootsDifferError({ ...facts, waitMs: MINUTE / 2 })
  for (let fails = 0; fails < 5; fails += 1) expect(delayAfter(differ)).toBe(MINUTE / 2)
  expect(delayAfter(new Error('EIA is down'))).toBe(MINUTE / 2)
  expect(delayAfter(new Error('EIA is down'))).toBe(MINUTE)
  expect(delayAfter(differ)).toBe(MINUTE / 2)
})

describe('a feed with a known release', () => {
  test('behavior: a release follows the clock of the machine, not that of the schedule', () => {
    const from = Date.parse('2026-11-19T12:00Z')
    const schedule = new Schedule({
      feeds: [gas],
      ...paceOf({}),
      random: () => 0.5,
      aheadMs: () => from,
    })
    schedule.takeDue(0)
    schedule.settle(decidedAs(gas, 20261106, 'unchanged'), 0)
    // Of the release at 15:30 nothing is missing yet: the one before is.
    expect(new Date(from + schedule.nextAt()).toISOString()).toBe('2026-11-19T15:31:30.000Z')
  })

  test('default: is polled right after it, and once a day in between', () => {
    const looks = looksOf({ feeds: [gas], from: '2026-11-19T12:00Z', to: '2026-11-27T00:00Z' })
    // Thanksgiving is a Thursday: it comes on Wednesday at noon.
    expect(timesOf(looks)).toEqual([
      '11-19T12:00',
      '11-19T15:31',
      '11-20T15:31',
      '11-21T15:31',
      '11-22T15:31',
      '11-23T15:31',
      '11-24T15:31',
      '11-25T15:31',
      '11-25T17:01',
      '11-26T17:01',
    ])
  })

  test('behavior: every five minutes until the period appears, after the grace in its interval', () => {
    const late = { feeds: [gas], from: '2026-11-19T12:00Z', to: '2026-11-20T12:00Z' }
    const after = (delayMs: number) => timesOf(looksOf({ ...late, delayMs: () => delayMs }))
    expect(after(12 * MINUTE)).toEqual([
      '11-19T12:00',
      '11-19T15:31',
      '11-19T15:36',
      '11-19T15:41',
      '11-19T15:46',
    ])
    const never = after(9 * DAY)
    expect(never).toHaveLength(1 + (6 * 60) / 5 + 3)
    expect(never.slice(-4)).toEqual(['11-19T21:26', '11-19T21:31', '11-20T03:31', '11-20T09:31'])
  })

  test('behavior: feeds of one release are polled together, whatever their frequency', () => {
    let calls = 0
    const random = () => (calls++ % 7) / 7
    const weeks = { from: '2026-11-16T00:00Z', to: '2026-12-31T00:00Z' }
    const looks = looksOf({ feeds: [stocks, supplied], ...weeks, random })
    expect(looks.filter(({ feedIds }) => feedIds.length !== 2)).toEqual([])
  })

  test('behavior: a forecast, whose period does not change, is polled until it is attested, or the grace has ended', () => {
    const looks = looksOf({ feeds: [steo], from: '2026-11-10T00:00Z', to: '2026-11-12T00:00Z' })
    expect(timesOf(looks)).toEqual(['11-10T00:00', '11-10T17:01', '11-11T17:01'])
  })

  test('behavior: a year: each release is on chain within minutes, by a fraction of the requests', () => {
    const year = { from: '2026-01-01T00:00Z', to: '2027-01-01T00:00Z' }
    const delayMs = (release: number) => (release % 7) * 4 * MINUTE
    const looks = looksOf({ feeds: [gas], ...year, delayMs })
    const releases = looks.map(({ at }) => findCalendar(gas, 0)?.dueAt(at).dueAt ?? 0)
    const ofYear = [...new Set(releases)].filter((release) => release > Date.parse(year.from))
    expect(ofYear).toHaveLength(52)
    for (const release of ofYear) {
      const there = release + delayMs(release)
      const seen = looks.find(({ at }) => at >= there)?.at ?? Number.POSITIVE_INFINITY
      expect(seen - there).toBeLessThan(6 * MINUTE)
    }
    const before = looksOf({ feeds: [gas], ...year, set: { weekly: defaultIntervals.weekly } })
    expect(before).toHaveLength((365 * 24) / 6)
    expect(looks.length).toBeLessThan(before.length / 2)
  })

  test('behavior: an interval that the operator sets wins, even if it is the default', () => {
    const hours = { feeds: [gas], from: '2026-11-19T12:00Z', to: '2026-11-20T00:00Z' }
    expect(timesOf(looksOf({ ...hours, set: { weekly: 6 * HOUR } }))).toEqual(['11-19T12:00', '11-19T18:00'])
  })

  test('behavior: a withheld value is looked for in the interval of the feed, not only once a day', () => {
    const schedule = new Schedule({ feeds: [gas], ...paceOf({}), random: () => 0.5 })
    const now = Date.parse('2026-11-20T12:00Z')
    const look = (period: number, decision: 'withheld' | 'unchanged') => {
      schedule.takeDue(now)
      schedule.settle(decidedAs(gas, period, decision), now)
      return schedule.nextAt() - now
    }
    expect(look(20_261_113, 'withheld')).toBe(6 * HOUR)
    expect(look(20_261_106, 'unchanged')).toBe(6 * HOUR)
    expect(look(20_261_113, 'withheld')).toBe(6 * HOUR)
    expect(look(20_261_113, 'unchanged')).toBe(DAY)
  })
})

test('behavior: many feeds of one release stay below half of EIA’s limit', () => {
  for (const feeds of [1, 100, 10_000]) expect((feeds * HOUR) / soonMs(feeds)).toBeLessThanOrEqual(4_500)
})

test('behavior: others keep the interval of their frequency', () => {
  const looks = looksOf({ feeds: [spot], from: '2026-11-19T12:00Z', to: '2026-11-19T15:30Z' })
  expect(timesOf(looks)).toEqual(['11-19T12:00', '11-19T13:00', '11-19T14:00', '11-19T15:00'])
})

test('behavior: the weekday of the calendar is known without a poll', () => {
  const weekly = releaseRules.filter(({ isExact, eras }) => isExact && eras[0]?.release.kind === 'weekly')
  expect(weekly.length).toBeGreaterThan(2)
  expect(weekly.filter(({ weekday }) => weekday === undefined)).toEqual([])
})

test('behavior: the allowed time without success covers the time without polls', () => {
  const pace = { intervals: defaultIntervals }
  expect([longestPauseMs(gas, pace), longestPauseMs(spot, pace)]).toEqual([DAY, HOUR])
  expect([allowedMs([gas, stocks], pace), allowedMs([gas, spot], pace)]).toEqual([2 * DAY, 2 * HOUR])
  expect(allowedMs([gas], { ...pace, fixedFrequencies: new Set(['weekly']) })).toBe(12 * HOUR)
})
