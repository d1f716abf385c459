import { describe, expect, test } from 'bun:test'
import type { SnapshotStep } from '../../../src/agent/datasets/snapshotInput.ts'
import type { AgentEvent, OutboxStep } from '../../../src/agent/events.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import type { OtherAttestation } from '../../../src/agent/look/otherWriter.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { logEvent } from '../../../src/agent/monitor/logEvents.ts'
import { createAgentWatch } from '../../../src/agent/monitor/watchAgent.ts'
import type { ChainFeed } from '../../../src/agent/plan/assertAttestable.ts'
import { FeedBackfillingError } from '../../../src/agent/state/feedPending.ts'
import { feedMetadata, type SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import type { FeedsFileState } from '../../../src/feeds/file/feedsFile.ts'
import type { ClockReading } from '../../../src/runtime/clocks.ts'
import { agreedTerms } from '../committee/http/exchange.ts'
import { attestationOf, feedOf, rowOf } from '../run/fakes.ts'

const DAY = 86_400_000
const CSPR = 1_000_000_000n
const feeds = [feedOf('A'), feedOf('B')]
const feedIds = feeds.map(({ feed_id }) => feed_id)

const settledOf = (transactionHash: string, outcome: 'executed' | 'failed' | 'expired'): OutboxStep => ({
  step: 'settled',
  settled: {
    transactionHash,
    feedIds,
    attestedFeedIds: feedIds,
    outcome,
    chargedMotes: outcome === 'expired' ? null : 2n * CSPR,
    errorMessage: null,
  },
  executed: null,
  error: null,
})

function createBench() {
  let at = 0
  let clocks: readonly ClockReading[] = []
  const metrics = createAgentMetrics()
  const warnings: string[] = []
  const log = {
    info: (_: object, message: string) => warnings.push(message),
    warn: (_: object, message: string) => warnings.push(message),
    error: (_: object, message: string) => warnings.push(message),
  }
  const watch = createAgentWatch({
    feeds,
    intervals: defaultIntervals,
    now: () => at,
    metrics,
    log,
    clocks: () => clocks,
  })
  const hear = (event: AgentEvent): void => {
    watch.hear(event)
    logEvent(log, event)
  }
  return {
    ...watch,
    hear,
    outcome: (outcome: FeedOutcome) => watch.hear({ event: 'outcome', outcome }),
    lost: (of: SeriesConfig, lost: readonly number[], added: readonly number[]) =>
      hear({ event: 'lost', feed: of, lost, added }),
    dataset: (step: SnapshotStep) => hear({ event: 'dataset_step', feedId: 'EIA.DATASET.A.DAILY', step }),
    step: (step: OutboxStep) => watch.hear({ event: 'step', step }),
    balance: (balanceMotes: bigint) => watch.hear({ event: 'balance', balanceMotes }),
    read: (feedId: string, state: ChainFeed) => watch.hear({ event: 'read', feedId, state }),
    cycle: (durationMs: number) => watch.hear({ event: 'cycle', outcomes: [], durationMs }),
    otherWriter: (found: readonly OtherAttestation[]) => hear({ event: 'other_writer', found }),
    throttled: (untilMs: number) =>
      watch.hear({ event: 'throttled', route: 'petroleum', untilMs, retryAfterMs: null }),
    feeds: (all: readonly SeriesConfig[], file: FeedsFileState | null) =>
      watch.hear({ event: 'feeds', feeds: all, file }),
    warnings,
    tell(known: readonly ClockReading[]): void {
      clocks = known
    },
    pending: () => watch.health().health.pending_transactions,
    pass(ms: number): void {
      at += ms
    },
    line: async (name: string) => (await metrics.text()).split('\n').filter((line) => line.startsWith(name)),
  }
}

describe('createAgentWatch', () => {
  test('behavior: lost periods are logged once, and shown until the chain has them', async () => {
    const bench = createBench()
    const [feed = feedOf('A')] = feeds
    const result = { decision: 'withheld', period: 1, amount: null, unit: 'x', source_hash: null } as const
    bench.outcome(decidedOutcome('EIA.A', { row: rowOf(), result }))
    const hour = Date.parse('2026-11-20T07:00Z') / 1000
    const hourly = { ...feed, frequency: 'hourly' } as const
    const shown = async () => [
      bench.health().health.lost_periods,
      bench.health().health.status,
      ...(await bench.line('wattfeed_agent_lost_periods{')),
    ]
    bench.lost(hourly, [hour], [hour])
    bench.lost(hourly, [hour], [])
    const before = await shown()
    bench.lost(hourly, [], [])
    expect([before, await shown(), bench.warnings]).toEqual([
      [{ 'EIA.A': ['2026-11-20T07'] }, 'ok', 'wattfeed_agent_lost_periods{feed_id="EIA.A"} 1'],
      [{}, 'ok', 'wattfeed_agent_lost_periods{feed_id="EIA.A"} 0'],
      ['periods are lost: attest them with "feeds backfill"'],
    ])
  })

  test('default: a transaction is pending from its storage to its settlement, and its cost is counted', async () => {
    const bench = createBench()
    bench.step({ step: 'signed', transactionHash: 'aa', feedIds, expiresAt: 1 })
    expect(bench.pending()).toBe(0)
    bench.step({ step: 'written', transactionHash: 'aa', feedIds, expiresAt: 1 })
    bench.step({ step: 'resumed', transactionHash: 'bb', feedIds, expiresAt: 1 })
    expect(bench.pending()).toBe(2)
    bench.pass(1_000)
    bench.step(settledOf('aa', 'failed'))
    expect(bench.health().health.last_success_at).toBeNull()
    bench.step(settledOf('bb', 'executed'))
    expect([bench.pending(), bench.health().health.last_success_at]).toEqual([0, 1_000])
    expect(await bench.line('wattfeed_agent_pending')).toEqual(['wattfeed_agent_pending_transactions 0'])
    expect(await bench.line('wattfeed_agent_feed_charged_motes_total{feed_id="EIA.A"}')).toEqual([
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.A"} 2000000000',
    ])
  })

  test('behavior: one that expired cost nothing', async () => {
    const bench = createBench()
    bench.step({ step: 'written', transactionHash: 'aa', feedIds, expiresAt: 1 })
    bench.step(settledOf('aa', 'expired'))
    expect(bench.pending()).toBe(0)
    expect(await bench.line('wattfeed_agent_charged')).toEqual(['wattfeed_agent_charged_motes_total 0'])
  })

  test('behavior: one that was rejected for its time, and is signed again, is not pending twice', () => {
    const bench = createBench()
    for (const step of ['written', 'removed'] as const)
      bench.step({ step, transactionHash: 'aa', feedIds, expiresAt: 1 })
    bench.step({ step: 'written', transactionHash: 'bb', feedIds, expiresAt: 1 })
    expect(bench.pending()).toBe(1)
  })

  test('behavior: warns once below 14 days and once below 3, and again after the account was filled up', async () => {
    const bench = createBench()
    // Two daily feeds at one CSPR each.
    bench.step(settledOf('aa', 'executed'))
    const warningsAt = (days: number) => {
      bench.balance(BigInt(days * 20) * (CSPR / 10n))
      return bench.warnings.splice(0).length
    }
    expect([20, 13.9, 14.1, 13.5, 3, 2.9, 3.1, 2.5].map(warningsAt)).toEqual([0, 1, 0, 0, 0, 1, 0, 0])
    expect(await bench.line('wattfeed_agent_balance_days')).toEqual(['wattfeed_agent_balance_days 2.5'])
    expect(bench.health().health.reasons.map(({ code }) => code)).toEqual(['low_balance'])
    expect([20, 2.9].map(warningsAt)).toEqual([0, 1])
    expect(bench.health().health.balance_days).toBe(2.9)
  })

  test('behavior: an agent that reads a dataset for longer than a poll may take works', () => {
    const bench = createBench()
    const working = Array.from({ length: 5 }, (_, pages) => {
      bench.pass(1.5 * 3_600_000)
      bench.dataset({ step: 'page', pages, rows: 5_000 * pages, total: 2_000_000 })
      return bench.health().isWorking
    })
    expect([working, bench.warnings]).toEqual([Array(5).fill(true), []])
    bench.dataset({ step: 'again', why: 'a newer period has come' })
    bench.dataset({ step: 'resume', pages: 1, rows: 5_000, total: 2_000_000 })
    expect(bench.warnings).toEqual([
      'reading a dataset again from its first row',
      'resuming to read a dataset',
    ])
    bench.dataset({ step: 'mend', folder: 'ab', why: 'index: is missing' })
    bench.hear({ event: 'snapshot_missing', feedId: 'EIA.DATASET.A.DAILY', root: 'ab' })
    expect(bench.warnings.slice(2)).toEqual([
      'a snapshot is broken; writing it again',
      'the snapshot of the newest root is not at hand: a loss of values since then may pass unnoticed',
    ])
    bench.dataset({ step: 'not_recorded', why: 'HTTP 500' })
    expect(bench.warnings.at(-1)).toBe('what EIA says of a dataset is not recorded, or not all of it')
    const lost = { root: 'cd', why: 'the disk is full' }
    bench.dataset({ step: 'not_kept', snapshots: [{ root: 'ab', why: 'is missing' }, lost] })
    const reasonOf = () => bench.health().health.reasons.find(({ code }) => code === 'not_archived')
    expect(reasonOf()?.message).toContain('with the root cd: the disk is full, and 1 more')
    expect(bench.warnings.at(-1)).toStartWith('snapshots are not kept in the archive')
    bench.pass(3 * 3_600_000)
    expect(bench.health().isWorking).toBe(false)
    expect(reasonOf()).toBeDefined()
    bench.pass(7 * 24 * 3_600_000)
    expect(reasonOf()).toBeUndefined()
  })

  test('behavior: no warning while the rate is not known', () => {
    const bench = createBench()
    bench.balance(CSPR * 1_000n)
    expect([bench.warnings, bench.health().health.balance_days]).toEqual([[], null])
  })

  test('default: a late feed is logged once when it starts and once when it ends, and has a metric', async () => {
    const bench = createBench()
    const [feed] = feeds
    if (feed === undefined) throw new Error('there are two')
    const read = (period: number) =>
      bench.read(feed.feed_id, {
        feed: feedMetadata(feed),
        latest: attestationOf({ period, timestamp: 0 }),
        claimant: null,
      })
    read(19691230)
    expect(await bench.line('wattfeed_agent_feed_late{')).toEqual([])
    bench.cycle(1)
    expect([bench.warnings, await bench.line('wattfeed_agent_feed_late{')]).toEqual([
      [],
      ['wattfeed_agent_feed_late{feed_id="EIA.A"} 0', 'wattfeed_agent_feed_late{feed_id="EIA.B"} 0'],
    ])
    bench.pass(14 * DAY)
    for (let times = 0; times < 3; times++) bench.review()
    expect([bench.warnings.splice(0), await bench.line('wattfeed_agent_feed_late{feed_id="EIA.A"}')]).toEqual(
      [['feed is late'], ['wattfeed_agent_feed_late{feed_id="EIA.A"} 1']],
    )
    expect(bench.health().health.reasons).toMatchObject([{ code: 'nothing_works' }, { code: 'late' }])
    read(19700113)
    bench.cycle(1)
    expect(bench.warnings).toEqual(['feed is no longer late'])
  })

  test('default: each reason of /health has a metric while it applies', async () => {
    const bench = createBench()
    const reasons = () => bench.line('wattfeed_agent_health_reason{')
    expect(await reasons()).toEqual([])
    bench.tell([{ host: 'node.test', localMs: 90_000, serverMs: 0 }])
    bench.otherWriter([{ feedId: 'EIA.A', value: { period: 19700101, amount: 7n, timestamp: 0 } }])
    bench.review()
    expect(await reasons()).toEqual([
      'wattfeed_agent_health_reason{reason="clock"} 1',
      'wattfeed_agent_health_reason{reason="another_writer"} 1',
    ])
    bench.tell([])
    bench.review()
    expect(await reasons()).toEqual(['wattfeed_agent_health_reason{reason="another_writer"} 1'])
  })

  test('default: a wrong clock is logged once when it starts and once when it ends, and has a metric', async () => {
    const bench = createBench()
    const clock = { host: 'node.test', localMs: 95_000, serverMs: 5_000 }
    bench.tell([clock])
    for (let times = 0; times < 3; times++) bench.review()
    expect([bench.warnings.splice(0).length, await bench.line('wattfeed_agent_clock_ahead')]).toEqual([
      1,
      ['wattfeed_agent_clock_ahead_seconds{host="node.test"} 90'],
    ])
    bench.tell([{ ...clock, localMs: 5_000 }])
    bench.review()
    expect(bench.warnings).toEqual(['clock skew resolved'])
  })

  test("default: another program's attestation is logged with time and value, counted, and a reason for a day", async () => {
    const bench = createBench()
    const other = { feedId: 'EIA.A', value: { period: 19700101, amount: 7n, timestamp: 0 } }
    bench.otherWriter([])
    bench.otherWriter([other, { ...other, feedId: 'EIA.B' }])
    expect(bench.warnings).toEqual(
      Array(2).fill('the state folder has no record of sending this value of its account'),
    )
    expect(await bench.line('wattfeed_agent_other_writer')).toEqual([
      'wattfeed_agent_other_writer_attestations_total 2',
    ])
    expect<unknown>(bench.health().health.reasons).toEqual([
      {
        code: 'another_writer',
        message:
          'the state folder has no record of sending values that its account attested: EIA.B, period 19700101, amount 7, at 1970-01-01T00:00:00.000Z, and 1 more; stop any other agent with this account, which may attest values twice; if the folder was restored from a copy, they may be its own',
        feed_ids: ['EIA.A', 'EIA.B'],
      },
    ])
    bench.pass(DAY)
    expect(bench.health().health.reasons.map(({ code }) => code)).toEqual(['nothing_works'])
  })

  test('default: the state of the agent, as gauges', async () => {
    const bench = createBench()
    bench.step({ step: 'written', transactionHash: 'aa', feedIds, expiresAt: 1 })
    bench.step({ step: 'written', transactionHash: 'bb', feedIds, expiresAt: 1 })
    bench.step(settledOf('aa', 'executed'))
    bench.balance(CSPR * 25n)
    bench.pass(90_000)
    bench.cycle(2_500)
    bench.throttled(120_000)
    bench.feeds(feeds, { loaded_at: 60_000, error: 'it is not JSON' })
    const lines = await bench.line('wattfeed_')
    for (const line of [
      'wattfeed_agent_pending_transactions 1',
      'wattfeed_agent_attestation_cost_motes 1000000000',
      'wattfeed_agent_balance_motes 25000000000',
      'wattfeed_agent_balance_days 12.5',
      'wattfeed_agent_last_cycle_timestamp_seconds 90',
      'wattfeed_agent_last_cycle_duration_seconds 2.5',
      'wattfeed_eia_throttled_until_timestamp_seconds 120',
      'wattfeed_agent_feeds 2',
      'wattfeed_agent_feeds_file_loaded_timestamp_seconds 60',
      'wattfeed_agent_feeds_file_faulty 1',
    ])
      expect(lines).toContain(line)
  })

  test('default: the state of each feed, as gauges; a feed is failing while a backfill holds it', async () => {
    const bench = createBench()
    const byFeed = async () =>
      (await bench.line('wattfeed_')).filter((line) => line.includes('feed_id=')).toSorted()
    const nothing = { row: null, result: null }
    const result = { decision: 'withheld', period: 1, amount: null, unit: 'x', source_hash: null } as const
    bench.pass(2_500)
    bench.outcome(
      decidedOutcome('EIA.A', { row: rowOf(), result }, { missing: 3, gaps: [20261110, 20261112] }),
    )
    bench.pass(6_500)
    bench.outcome(failedOutcome('EIA.A', new TypeError('a bug'), nothing))
    const holder = { id: 7, host: null, purpose: 'backfill' }
    bench.outcome(failedOutcome('EIA.B', new FeedBackfillingError({ feedId: 'EIA.B', holder }), nothing))
    expect(await byFeed()).toEqual([
      'wattfeed_agent_feed_failing{feed_id="EIA.A"} 1',
      'wattfeed_agent_feed_failing{feed_id="EIA.B"} 1',
      'wattfeed_agent_gap_periods{feed_id="EIA.A"} 2',
      'wattfeed_agent_last_success_timestamp_seconds{feed_id="EIA.A"} 2.5',
      'wattfeed_agent_lost_periods{feed_id="EIA.A"} 0',
      'wattfeed_agent_lost_periods{feed_id="EIA.B"} 0',
      'wattfeed_agent_missing_periods{feed_id="EIA.A"} 0',
      'wattfeed_agent_missing_periods{feed_id="EIA.B"} 0',
    ])
    bench.step(settledOf('aa', 'executed'))
    bench.review()
    bench.feeds([], null)
    expect(await byFeed()).toEqual([])
  })

  test('default: the protocol version of the network is logged once, warned about beyond 2.2.2, and has a metric', async () => {
    const { hear, line, warnings } = createBench()
    const seen: string[] = []
    for (const version of ['2.2.2', '2.3.0']) {
      hear({ event: 'protocol_version', version })
      seen.push(...(await line('wattfeed_protocol')))
    }
    expect(seen).toEqual([
      'wattfeed_protocol_info{version="2.2.2"} 1',
      'wattfeed_protocol_info{version="2.3.0"} 1',
    ])
    expect(warnings).toEqual([
      'the network runs this protocol version',
      'the network runs this protocol version',
      'the network runs a newer protocol version than this release was tried with',
    ])
  })

  test('behavior: throttling is counted, and a reason', async () => {
    const bench = createBench()
    bench.throttled(DAY)
    expect([...(await bench.line('wattfeed_eia_throttled_total')), bench.health().health.status]).toEqual([
      'wattfeed_eia_throttled_total 1',
      'degraded',
    ])
  })

  test('behavior: a removed feed leaves no series, and is not among the failing ones', async () => {
    const bench = createBench()
    for (const feedId of feedIds)
      bench.outcome(failedOutcome(feedId, new Error('no'), { row: null, result: null }))
    bench.feeds(feeds.slice(1), { loaded_at: 5_000, error: null })
    expect(await bench.line('wattfeed_agent_feed_failing')).toEqual([
      'wattfeed_agent_feed_failing{feed_id="EIA.B"} 1',
    ])
    expect(await bench.line('wattfeed_agent_feeds')).toEqual([
      'wattfeed_agent_feeds 1',
      'wattfeed_agent_feeds_file_loaded_timestamp_seconds 5',
      'wattfeed_agent_feeds_file_faulty 0',
    ])
    expect(bench.health().health).toMatchObject({
      feeds: 1,
      failing: 1,
      feeds_file: { loaded_at: 5_000, error: null },
    })
  })

  test('behavior: a gauge says which members hold the root of this one; a removed dataset leaves nothing', async () => {
    const bench = createBench()
    const { hear, facts } = bench.join({
      members: ['key-north', 'key-south'],
      nameOf: (key) => key.replace('key-', ''),
      terms: { ...agreedTerms, member: 'key-own', account: 'account-hash-cc', chain_name: 'casper-net-1' },
    })
    const announce = (member: string, feedId: string, digit: string | null): void =>
      hear({
        event: 'root_announced',
        feedId,
        member,
        root: digit === null ? null : { root: digit.repeat(64), size: 7, period: 20_261_120, began: 0 },
      })
    announce('key-north', 'EIA.A', 'a')
    const gauge = () => bench.line('wattfeed_committee_root_equal')
    expect(await gauge()).toEqual([])
    announce('key-own', 'EIA.A', 'a')
    announce('key-south', 'EIA.A', 'b')
    announce('key-own', 'EIA.B', 'c')
    announce('key-north', 'EIA.B', 'c')
    const equal = (feedId: string, member: string, value: 0 | 1) =>
      `wattfeed_committee_root_equal{feed_id="${feedId}",member="${member}"} ${value}`
    expect(await gauge()).toEqual([
      equal('EIA.A', 'north', 1),
      equal('EIA.A', 'south', 0),
      equal('EIA.B', 'north', 1),
    ])
    announce('key-own', 'EIA.A', null)
    expect(await gauge()).toEqual([equal('EIA.B', 'north', 1)])
    announce('key-own', 'EIA.A', 'b')
    bench.pass(120_000)
    announce('key-south', 'EIA.A', 'b')
    bench.pass(1)
    // The north has been silent for longer than an announcement counts.
    expect(await gauge()).toEqual([equal('EIA.A', 'south', 1)])
    announce('key-north', 'EIA.B', 'c')
    hear({ event: 'converged', feedId: 'EIA.A', round: 1, asked: 2, isChanged: false, others: [] })
    bench.feeds(feeds.slice(1), { loaded_at: 5_000, error: null })
    expect(await gauge()).toEqual([equal('EIA.B', 'north', 1)])
    expect([...facts.roots.keys()]).toEqual(['EIA.B'])
    expect(await bench.line('wattfeed_committee_keys_asked_again_total')).toEqual([])
  })
})
