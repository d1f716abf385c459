import { describe, expect, test } from 'bun:test'
import { EiaNoRowsError, EiaThrottledError } from '../../../packages/eia/src/eiaErrors.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { AgentFacts, noteExecuted, noteFeeds, noteOutcome } from '../../../src/agent/monitor/facts.ts'
import { allowedMs, healthOf } from '../../../src/agent/monitor/health.ts'
import { FeedBackfillingError, FeedPendingError } from '../../../src/agent/state/feedPending.ts'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { feedOf, NOW, rowOf } from '../run/fakes.ts'

const MINUTE = 60_000
const feeds = [feedOf('A'), feedOf('B'), feedOf('C', { frequency: 'hourly' })]
const unknown = { row: null, result: null }
const decided = (feedId: string, changes: object = {}) => ({
  ...decidedOutcome(feedId, {
    row: rowOf(),
    result: { decision: 'withheld', period: 1, amount: null, unit: 'x', source_hash: null },
  }),
  ...changes,
})
const failed = (
  feedId: string,
  error: Error = new EiaNoRowsError({ route: 'petroleum/pri/spt', status: 200 }),
) => failedOutcome(feedId, error, unknown)

function createBench(clock = { now: NOW, steadyMs: NOW }) {
  const facts = new AgentFacts(feeds, clock.steadyMs)
  const report = () => healthOf(facts, { ...clock }, { intervals: defaultIntervals })
  const set = (changes: Partial<AgentFacts>) => void Object.assign(facts, changes)
  return {
    facts,
    report,
    outcome: (outcome: FeedOutcome) => noteOutcome(facts, outcome, clock.steadyMs),
    worked: () => noteExecuted(facts, clock.steadyMs),
    cycleEnded: () => set({ lastCycleSteadyMs: clock.steadyMs }),
    throttled: (throttledUntil: number) => set({ throttledUntil }),
    balance: (balanceDays: number | null) => set({ balanceDays }),
    pending: (pendingTransactions: number) => set({ pendingTransactions }),
    watch: (changed: readonly SeriesConfig[]) => noteFeeds(facts, changed),
    feedsFile: (feedsFile: AgentFacts['feedsFile']) => set({ feedsFile }),
    review: (late: AgentFacts['late'], clocks: AgentFacts['clocks']) => set({ late, clocks }),
    pass(minutes: number): void {
      clock.now += minutes * MINUTE
      clock.steadyMs += minutes * MINUTE
    },
    status: () => {
      const { isWorking, health: body } = report()
      return [isWorking ? 200 : 503, body.status, body.reasons.map(({ code }) => code).join()]
    },
  }
}

describe('healthOf', () => {
  test('behavior: a feed that a backfill holds is not failing', () => {
    const bench = createBench()
    bench.outcome(failed('A'))
    bench.outcome(
      failed(
        'A',
        new FeedBackfillingError({ feedId: 'A', holder: { id: 7, host: null, purpose: 'backfill' } }),
      ),
    )
    expect(bench.report().health).toMatchObject({ failing: 0, status: 'ok', last_success_at: null })
  })

  test('default: ok before the first cycle, and as long as every feed is decided', () => {
    const bench = createBench()
    const body = {
      status: 'ok',
      service: 'wattfeed-agent',
      reasons: [],
      feeds: 3,
      failing: 0,
      last_cycle_at: null,
      last_success_at: null,
      pending_transactions: 0,
      balance_days: null,
      lost_periods: {},
      feeds_file: null,
    }
    expect<unknown>(bench.report()).toEqual({ isWorking: true, health: body })
    bench.outcome(decided('EIA.A'))
    bench.pass(1)
    bench.cycleEnded()
    bench.pending(1)
    bench.balance(20)
    expect<unknown>(bench.report().health).toEqual({
      ...body,
      last_success_at: NOW,
      last_cycle_at: NOW + MINUTE,
      pending_transactions: 1,
      balance_days: 20,
    })
  })

  test('behavior: degraded while feeds fail, a reason for each code; ok again when they do not', () => {
    const bench = createBench()
    for (const outcome of [failed('EIA.A'), failed('EIA.B'), failed('EIA.C', new TypeError('a bug'))])
      bench.outcome(outcome)
    const { isWorking, health } = bench.report()
    expect<unknown>([isWorking, health.status, health.failing, health.reasons]).toEqual([
      true,
      'degraded',
      3,
      [
        {
          code: 'eia_no_rows',
          message: expect.stringMatching(/^EIA\.A: EIA petroleum\/pri\/spt: no rows.*, and 1 more$/),
          feed_ids: ['EIA.A', 'EIA.B'],
        },
        { code: 'internal', message: 'EIA.C: a bug', feed_ids: ['EIA.C'] },
      ],
    ])
    for (const feedId of ['EIA.A', 'EIA.B', 'EIA.C']) bench.outcome(decided(feedId))
    expect(bench.status()).toEqual([200, 'ok', ''])
  })

  test('behavior: 503 when nothing worked for twice the shortest interval', () => {
    const bench = createBench()
    bench.outcome(failed('EIA.C'))
    bench.pass(20)
    expect(bench.status()).toEqual([200, 'degraded', 'eia_no_rows'])
    bench.pass(0.001)
    expect(bench.status()).toEqual([503, 'degraded', 'nothing_works,eia_no_rows'])
    bench.outcome(decided('EIA.A'))
    expect(bench.status()).toEqual([200, 'degraded', 'eia_no_rows'])
  })

  test('behavior: a feed that fails while others work does not change the status back and forth', () => {
    const bench = createBench()
    const statuses = new Set<string>()
    bench.outcome(failed('EIA.C'))
    for (let hours = 0; hours < 5; hours += 1) {
      bench.outcome(decided('EIA.A', { decision: 'unchanged' }))
      for (let polls = 0; polls < 6; polls += 1) {
        statuses.add(bench.status().join(' '))
        bench.pass(10)
        bench.outcome(failed('EIA.C'))
      }
    }
    expect([...statuses]).toEqual(['200 degraded eia_no_rows'])
    // The daily feed is not decided any more either: that shows after twice its interval.
    bench.pass(60.001)
    expect(bench.status()).toEqual([503, 'degraded', 'nothing_works,eia_no_rows'])
    // When all work again, the most frequent one counts.
    for (const { feed_id } of feeds) bench.outcome(decided(feed_id))
    bench.pass(20.001)
    expect(bench.status()).toEqual([503, 'degraded', 'nothing_works'])
  })

  test('behavior: no time is to come after a clock that was ahead is set right, in /health and metrics', async () => {
    const clock = { now: NOW + 6 * 60 * MINUTE, steadyMs: 0 }
    const bench = createBench(clock)
    const metrics = createAgentMetrics()
    metrics.observe({ facts: bench.facts, moment: () => clock, reasons: () => [] })
    const pass = (minutes: number) => bench.pass(minutes)
    bench.outcome(decided('EIA.A', { decision: 'older-than-chain' }))
    bench.cycleEnded()
    bench.outcome(failedOutcome('EIA.B', new TypeError('no funds'), unknown, { gaps: [] }))
    pass(61)
    bench.outcome(decided('EIA.A', { decision: 'older-than-chain' }))
    // The true time is an hour and a minute after noon.
    clock.now = NOW + 61 * MINUTE
    const { health } = bench.report()
    expect([health.last_success_at, health.last_cycle_at]).toEqual([NOW, NOW])
    expect(health.reasons.map(({ message }) => message.replace(/:? EIA withdrew.*/, ''))).toEqual([
      'no due value could be sent since 2026-11-20T12:00:00.000Z',
      'EIA.B: no funds',
      "EIA's newest period is earlier than the chain's for EIA.A since 2026-11-20T12:00:00.000Z",
    ])
    const text = await metrics.text()
    expect(text).toContain(`wattfeed_agent_last_cycle_timestamp_seconds ${NOW / 1_000}\n`)
    expect(text).toContain(
      `wattfeed_agent_last_success_timestamp_seconds{feed_id="EIA.A"} ${(NOW + 61 * MINUTE) / 1_000}\n`,
    )
  })

  describe('while due values cannot be sent', () => {
    const unsent = (feedId: string, error: Error = new TypeError('no funds')) =>
      failedOutcome(feedId, error, unknown, { gaps: [] })
    const statusOf = (bench: ReturnType<typeof createBench>) => bench.report().isWorking

    test('behavior: 503 lasts until a transaction is executed, although feeds without a due value are decided', () => {
      const bench = createBench()
      bench.worked()
      bench.pass(1)
      bench.outcome(unsent('EIA.C'))
      const working: boolean[] = []
      const polls = [
        unsent('EIA.C'),
        failed('EIA.C', new FeedPendingError('EIA.C', {})),
        unsent('EIA.C', new FeedPendingError('EIA.C', {})),
        failed('EIA.C'),
      ]
      for (const poll of [...polls, ...polls, ...polls]) {
        bench.pass(10)
        bench.outcome(poll)
        bench.outcome(decided('EIA.A'))
        working.push(statusOf(bench))
      }
      expect(working).toEqual([true, ...Array(11).fill(false)])
      expect(bench.report().health.reasons[0]).toEqual({
        code: 'nothing_works',
        message: 'no due value could be sent since 2026-11-20T12:01:00.000Z',
      })
      bench.worked()
      expect(statusOf(bench)).toBe(true)
    })

    test('behavior: the failure of one feed does not count once others are attested', () => {
      const bench = createBench()
      bench.outcome(unsent('EIA.B'))
      bench.pass(1)
      bench.outcome(decided('EIA.C', { transactionHashes: ['aa'] }))
      for (let polls = 0; polls < 6; polls++) {
        bench.pass(10)
        bench.outcome(unsent('EIA.B'))
        bench.outcome(decided('EIA.A'))
        expect(statusOf(bench)).toBe(true)
      }
    })

    test('behavior: neither a running backfill, nor a feed that is not watched, nor one that is decided counts', () => {
      const bench = createBench()
      bench.outcome(
        unsent(
          'EIA.A',
          new FeedBackfillingError({ feedId: 'EIA.A', holder: { id: 7, host: null, purpose: 'backfill' } }),
        ),
      )
      bench.outcome(unsent('EIA.B'))
      bench.outcome(unsent('EIA.C'))
      bench.outcome(decided('EIA.C'))
      bench.watch(feeds.filter(({ feed_id }) => feed_id !== 'EIA.B'))
      bench.pass(21)
      bench.outcome(decided('EIA.C'))
      expect(bench.status()).toEqual([200, 'ok', ''])
    })
  })

  test('behavior: 503 even if the clock was set back, or forward, meanwhile', () => {
    const [day, clock] = [24 * 60 * MINUTE, { now: NOW, steadyMs: 0 }]
    const health = createBench(clock)
    clock.now += day
    health.outcome(decided('EIA.A'))
    expect(health.report().isWorking).toBe(true)
    Object.assign(clock, { now: NOW, steadyMs: 20 * MINUTE + 1 })
    expect(health.report().isWorking).toBe(false)
    health.outcome(decided('EIA.A', { decision: 'older-than-chain' }))
    clock.now += day
    health.outcome(decided('EIA.A', { decision: 'older-than-chain' }))
    expect(health.report().health.status).toBe('ok')
  })

  test('behavior: a cycle that takes long works as long as its transactions are executed', () => {
    const bench = createBench()
    bench.pass(19)
    bench.worked()
    bench.pass(19)
    expect(bench.status()).toEqual([200, 'ok', ''])
  })

  test('behavior: how long nothing may work: ten minutes at least, and as the watched feeds are polled', () => {
    const usual = { intervals: defaultIntervals }
    const seconds = { intervals: { ...defaultIntervals, hourly: 1_000 } }
    expect([allowedMs(feeds, seconds), allowedMs(feeds, usual)]).toEqual([10 * MINUTE, 20 * MINUTE])
    expect([allowedMs(feeds.slice(0, 2), usual), allowedMs([], usual)]).toEqual([
      120 * MINUTE,
      Number.POSITIVE_INFINITY,
    ])
  })

  test('behavior: a feed whose newest period on chain EIA has not for an hour, at every look', () => {
    const bench = createBench()
    const older = { decision: 'older-than-chain' }
    bench.outcome(decided('EIA.A', older))
    bench.pass(600)
    bench.worked()
    expect(bench.status()).toEqual([200, 'ok', ''])
    bench.outcome(failed('EIA.A'))
    bench.outcome(decided('EIA.A', older))
    bench.outcome(decided('EIA.B', older))
    expect(bench.report().health.reasons).toEqual([
      {
        code: 'older_than_chain',
        message: expect.stringContaining('for EIA.A since 2026-11-20T12:00:00.000Z'),
        feed_ids: ['EIA.A'],
      },
    ])
    bench.outcome(decided('EIA.A'))
    bench.pass(59)
    bench.outcome(decided('EIA.B', older))
    expect(bench.status()).toEqual([200, 'ok', ''])
    bench.pass(1)
    bench.outcome(decided('EIA.B', older))
    expect(bench.status()).toEqual([200, 'degraded', 'older_than_chain'])
    bench.watch([])
    expect(bench.report().health.reasons).toEqual([])
  })

  test('behavior: a rate limit is a reason until it ends, and only one even if feeds fail because of it', () => {
    const bench = createBench()
    bench.throttled(NOW + MINUTE)
    expect(bench.report().health.reasons).toEqual([
      {
        code: 'throttled',
        message: 'rate limited by EIA: no request is sent until 2026-11-20T12:01:00.000Z',
      },
    ])
    bench.outcome(
      failed(
        'EIA.A',
        new EiaThrottledError({ route: 'seds', status: 429, retryAfterMs: null, askAgainMs: NOW }),
      ),
    )
    expect(bench.status()).toEqual([200, 'degraded', 'throttled'])
    bench.outcome(decided('EIA.A'))
    bench.pass(1)
    expect(bench.status()).toEqual([200, 'ok', ''])
  })

  test('behavior: gaps, a low balance and a feeds file with faults are reasons', () => {
    const bench = createBench()
    bench.outcome(decided('EIA.A', { missing: 2 }))
    bench.outcome(decided('EIA.B', { missing: 1 }))
    bench.outcome(decided('EIA.C', { missing: 0 }))
    bench.balance(13.94)
    bench.feedsFile({ loaded_at: NOW, error: 'feeds.json: is not JSON' })
    expect<unknown>(bench.report().health.reasons).toEqual([
      {
        code: 'gaps',
        message: '3 periods that EIA has are not on chain yet',
        feed_ids: ['EIA.A', 'EIA.B'],
      },
      {
        code: 'low_balance',
        message: 'the balance lasts for 13.9 days at the present rate: send CSPR to the account',
      },
      { code: 'feeds_file', message: 'feeds.json: is not JSON' },
    ])
  })

  test('behavior: late feeds and a wrong clock are reasons, with the fix', () => {
    const bench = createBench()
    const late = {
      period: 20261106,
      expectedPeriod: 20261113,
      dueAt: NOW,
      dueOn: '2026-11-20',
      lastPoll: 'withheld',
    }
    const clock = { host: 'node.test', localMs: NOW, serverMs: NOW + 3 * 3_600_000 }
    const right = { host: 'api.eia.gov', localMs: NOW, serverMs: NOW }
    bench.review([{ feedId: 'EIA.A', ...late }], [clock, right])
    expect<unknown>(bench.report().health.reasons).toEqual([
      {
        code: 'late',
        message:
          'EIA.A: the newest value on chain is of period 20261106, and EIA\'s calendar expects 20261113 since 2026-11-20T12:00:00.000Z (last poll: withheld); run "feeds check EIA.A": if EIA has a newer value, the log says why it is not attested; otherwise EIA is late',
        feed_ids: ['EIA.A'],
      },
      {
        code: 'clock',
        message:
          "this machine's clock shows 2026-11-20T12:00:00.000Z, but that of node.test shows 2026-11-20T15:00:00.000Z; 1 of 2 servers differ: set the clock of this machine if it is wrong, else remove the server from CASPER_RPC_URL",
      },
    ])
    bench.review([], [clock])
    expect(bench.report().health.reasons[0]?.message).toEndWith(
      '; set the clock of this machine, by NTP for example',
    )
    bench.review([], [right])
    expect(bench.status()).toEqual([200, 'ok', ''])
  })

  test.each([
    [
      {},
      "the newest value on chain is of period 20261106, and EIA's calendar expects 20261113 since 2026-11-20;",
    ],
    [{ period: null, expectedPeriod: null, dueOn: null }, 'no value on chain;'],
    [
      { expectedPeriod: null, dueOn: null },
      'the newest value on chain is of the future period 20261106; run "feeds check EIA.A": EIA showed a wrong period',
    ],
    [
      { period: 1_794_783_600, expectedPeriod: 1_794_790_800 },
      "the newest value on chain is of period 2026-11-15T23:00Z, and EIA's calendar expects 2026-11-16T01:00Z since 2026-11-20;",
    ],
    [
      { period: 202712, expectedPeriod: 202611 },
      "the newest value on chain, of period 202712, is older than EIA's release of 2026-11-20;",
    ],
  ])(
    'behavior: a late feed reports the missing period, even without an hour of release: %j',
    (feed, text) => {
      const bench = createBench()
      const late = {
        feedId: 'EIA.A',
        period: 20261106,
        expectedPeriod: 20261113,
        dueAt: null,
        dueOn: '2026-11-20',
      }
      bench.review([{ ...late, lastPoll: null, ...feed }], [])
      expect(bench.report().health.reasons[0]?.message).toStartWith(`EIA.A: ${text}`)
    },
  )

  test('behavior: a feed that is no longer watched is not a reason', () => {
    const bench = createBench()
    bench.outcome(failed('EIA.A'))
    bench.outcome(decided('EIA.B', { missing: 2 }))
    bench.watch(feeds.slice(2))
    expect([bench.status(), bench.report().health.feeds]).toEqual([[200, 'ok', ''], 1])
  })
})
