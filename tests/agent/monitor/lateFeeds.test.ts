import { describe, expect, test } from 'bun:test'
import { EiaNoRowsError } from '@wattfeed/eia'
import { decidedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { LateFeeds } from '../../../src/agent/monitor/lateFeeds.ts'
import { FeedBackfillingError } from '../../../src/agent/state/feedPending.ts'
import { feedMetadata, type SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { statusOf } from '../../../src/feeds/status/feedStatus.ts'
import { anySource, feedOf, rowOf } from '../run/fakes.ts'

const HOUR = 3_600_000
const gas = feedOf('GAS', { route: 'natural-gas/stor/wkly', frequency: 'weekly' })

const decided = (feedId: string, decision: 'new-period' | 'unchanged', period: number) => {
  const facts = { period, amount: 1n, unit: 'x', source_hash: '0'.repeat(32), source: anySource }
  const transactionHashes = decision === 'unchanged' ? [] : ['ab'.repeat(32)]
  return decidedOutcome(feedId, { row: rowOf(), result: { decision, ...facts } }, { transactionHashes })
}

function createBench(feed: SeriesConfig, period: number | null, at: string) {
  let now = Date.parse(at)
  const late = new LateFeeds([feed], () => now)
  const timestamp = Date.parse('2026-11-13T12:00Z')
  late.read({
    feedId: feed.feed_id,
    feed: feedMetadata(feed),
    latest: period === null ? null : { period, timestamp },
  })
  return {
    read: (...given: Parameters<LateFeeds['read']>) => late.read(...given),
    watch: (...given: Parameters<LateFeeds['watch']>) => late.watch(...given),
    outcome: (...given: Parameters<LateFeeds['outcome']>) => late.outcome(...given),
    list: () => late.list(),
    late: () => late.list().length === 1,
    at(time: string | number): void {
      now = typeof time === 'number' ? now + time : Date.parse(time)
    },
  }
}

describe('LateFeeds', () => {
  test('default: late from the end of the grace, like in /v1/status, until the value is attested', () => {
    const bench = createBench(gas, 20261106, '2026-11-19T15:29Z')
    expect(bench.late()).toBe(false)
    bench.at('2026-11-19T21:29:59Z')
    bench.outcome(decided(gas.feed_id, 'unchanged', 20261106))
    expect(bench.late()).toBe(false)
    bench.at('2026-11-19T21:30:00Z')
    expect(bench.list()).toEqual([
      {
        feedId: gas.feed_id,
        period: 20261106,
        expectedPeriod: 20261113,
        dueAt: Date.parse('2026-11-19T15:30Z'),
        dueOn: '2026-11-19',
        lastPoll: 'unchanged',
      },
    ])
    bench.outcome(decided(gas.feed_id, 'new-period', 20261113))
    expect(bench.late()).toBe(false)
  })

  test('behavior: the same moment as the server, for every hour of a month', () => {
    const hourly = feedOf('H', { frequency: 'hourly' })
    const bench = createBench(hourly, Date.parse('2026-11-01T00:00Z') / 1000, '2026-11-01T00:00Z')
    const status = statusOf({
      feed_id: hourly.feed_id,
      ...feedMetadata(hourly),
      period: Date.parse('2026-11-01T00:00Z') / 1000,
      updated_at: 0,
    })
    for (let hour = 0; hour < 720; hour++) {
      const { state } = status(Date.parse('2026-11-01T00:00Z') + hour * HOUR)
      expect([hour, bench.late()]).toEqual([hour, state === 'late' || state === 'stale'])
      bench.at(HOUR)
    }
    expect(bench.late()).toBe(true)
  })

  test('behavior: a clock that was ahead hides nothing once it is set right', () => {
    const bench = createBench(gas, null, '2027-11-19T12:00Z')
    bench.at('2026-11-19T12:00Z')
    expect(bench.late()).toBe(false)
    bench.at(HOUR - 1)
    expect(bench.late()).toBe(false)
    bench.at(1)
    expect(bench.late()).toBe(true)
  })

  test('behavior: for any cause: an error, or a missing poll', () => {
    const bench = createBench(gas, 20261106, '2026-12-01T00:00Z')
    bench.at(HOUR)
    expect(bench.list()[0]?.lastPoll).toBeNull()
    const error = new EiaNoRowsError({ route: 'natural-gas/stor/wkly', status: 200 })
    bench.outcome(failedOutcome(gas.feed_id, error, { row: null, result: null }))
    expect(bench.list()[0]?.lastPoll).toBe('eia_no_rows')
  })

  test('behavior: not before its first poll, for an hour', () => {
    const bench = createBench(gas, 20261106, '2026-12-01T00:00Z')
    bench.at(HOUR - 1)
    expect(bench.late()).toBe(false)
    bench.outcome(decided(gas.feed_id, 'unchanged', 20261106))
    expect(bench.late()).toBe(true)
  })

  test('behavior: a feed without a value is late an hour after it was first polled', () => {
    const bench = createBench(gas, null, '2026-11-01T00:00Z')
    bench.at(HOUR - 1)
    expect(bench.late()).toBe(false)
    bench.at(1)
    expect(bench.list()).toMatchObject([{ period: null, expectedPeriod: null, dueAt: null }])
  })

  test('behavior: if only the day of a release is known, the day is reported', () => {
    const price = feedOf('PRICE', { route: 'petroleum/pri/spt', frequency: 'daily' })
    const bench = createBench(price, 20261102, '2026-11-16T12:00Z')
    bench.outcome(decided(price.feed_id, 'unchanged', 20261102))
    expect(bench.list()).toMatchObject([{ expectedPeriod: 20261113, dueAt: null, dueOn: '2026-11-16' }])
  })

  test('behavior: periods that are caught up count, even after a row without a number', () => {
    const bench = createBench(gas, null, '2026-11-18T00:00Z')
    const withheld = { ...decided(gas.feed_id, 'unchanged', 20261113), decision: 'withheld' as const }
    bench.outcome({ ...withheld, caughtUp: [20261106] })
    bench.at(HOUR)
    expect(bench.late()).toBe(false)
    bench.outcome({ ...withheld, caughtUp: [20261030] })
    bench.at('2026-11-19T21:30:00Z')
    expect(bench.list()).toMatchObject([{ period: 20261106 }])
  })

  test('behavior: a value of a future period is late, unless the feed allows forecasts', () => {
    const bench = createBench(gas, 20270305, '2026-11-19T12:00Z')
    const forecast = createBench({ ...gas, allow_future: true }, 20270305, '2026-11-19T12:00Z')
    for (const { at } of [bench, forecast]) at(HOUR)
    expect(bench.list()).toMatchObject([{ period: 20270305, expectedPeriod: null }])
    expect(forecast.late()).toBe(false)
  })

  test('behavior: a forecast that was polled after its release and had not changed is not late', () => {
    const steo = feedOf('STEO', { route: 'steo', frequency: 'monthly', allow_future: true })
    const bench = createBench(steo, 202712, '2026-12-08T12:00Z')
    bench.outcome(decided(steo.feed_id, 'unchanged', 202712))
    bench.at('2026-12-12T00:00Z')
    // The edition of 8 December has not been polled.
    expect(bench.list()).toMatchObject([{ period: 202712, lastPoll: 'unchanged' }])
    bench.outcome(decided(steo.feed_id, 'unchanged', 202712))
    expect(bench.late()).toBe(false)
    // The next poll reads the same value from the chain.
    const { feed_id: feedId } = steo
    const latest = { period: 202712, timestamp: Date.parse('2026-11-13T12:00Z') }
    bench.read({ feedId, feed: feedMetadata(steo), latest })
    bench.at('2027-01-05T00:00Z')
    expect(bench.late()).toBe(false)
    bench.at('2027-01-20T00:00Z')
    expect(bench.late()).toBe(true)
  })

  test('behavior: not while a backfill holds it, nor once it is not watched', () => {
    const bench = createBench(gas, 20261106, '2026-12-01T00:00Z')
    const error = new FeedBackfillingError({
      feedId: gas.feed_id,
      holder: { id: 7, host: null, purpose: 'backfill' },
    })
    bench.outcome(failedOutcome(gas.feed_id, error, { row: null, result: null }))
    expect(bench.late()).toBe(false)
    bench.outcome(decided(gas.feed_id, 'unchanged', 20261106))
    expect(bench.late()).toBe(true)
    bench.watch([])
    expect(bench.late()).toBe(false)
  })

  test('error: nothing is known of a feed that was not read, or is not registered', () => {
    const late = new LateFeeds([gas], () => Date.parse('2026-12-01T00:00Z'))
    late.read({ feedId: gas.feed_id, feed: null, latest: null })
    expect(late.list()).toEqual([])
  })
})
