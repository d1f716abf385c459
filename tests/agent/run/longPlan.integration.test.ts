import { expect, test } from 'bun:test'
import type { EiaRow } from '@wattfeed/eia'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { runAgent } from '../../../src/agent/run/runAgent.ts'
import { Schedule } from '../../../src/agent/run/schedule.ts'
import { createBackfillBench, feed } from '../../operator/feeds/support/backfillBench.ts'
import {
  attestationOf,
  type CycleOptions,
  createChainOutbox,
  createCycleOptions,
  createFakeChain,
  createFakeEia,
  feedOf,
  NOW,
  rowOf,
  runCycle,
  runReportingLoop,
  turn,
} from './fakes.ts'

const [slept, prompt] = [feedOf('SLEPT'), feedOf('PROMPT', { frequency: 'hourly' })]
const feeds = [slept, prompt]

const daysOf = (last: number): EiaRow[] =>
  Array.from({ length: last }, (_, index) =>
    rowOf({ period: `2026-10-${String(last - index).padStart(2, '0')}` }),
  )

/** Two feeds: one that slept over a month, five values a transaction, and one with a new value every hour. */
function createBench() {
  const chain = createFakeChain(feeds)
  chain.attest(slept.feed_id, { period: 20261001, amount: 1n })
  const rows: Record<string, EiaRow[]> = {
    SLEPT: daysOf(31),
    PROMPT: [rowOf({ period: '2026-11-16T01' })],
  }
  const { eia, asked } = createFakeEia(({ facets }) => rows[facets.series ?? ''] ?? [])
  const { outbox, sent } = createChainOutbox(chain)
  const options: CycleOptions = {
    ...createCycleOptions(chain, { eia, outbox }),
    maxSteps: 2,
  }
  return { chain, rows, asked, sent, options }
}

const lastOf = (outcomes: readonly FeedOutcome[], { feed_id }: { feed_id: string }): FeedOutcome => {
  const found = outcomes.find(({ feedId }) => feedId === feed_id)
  if (found === undefined) throw new Error(`no outcome of ${feed_id}`)
  return found
}

test('behavior: a feed with many transactions to send continues in later cycles, and all of it is sent once, in order', async () => {
  const { chain, options } = createBench()
  const outcomes: FeedOutcome[] = []
  do outcomes.push(lastOf(await runCycle([slept], options), slept))
  while (outcomes.at(-1)?.missing !== 0)
  expect(
    outcomes.map(({ decision, transactionHashes, result, missing }) => [
      decision,
      transactionHashes.length,
      result?.period,
      missing,
    ]),
  ).toEqual([
    ['new-period', 2, 20261011, 20],
    ['new-period', 2, 20261021, 10],
    ['new-period', 2, 20261031, 0],
  ])
  expect(chain.historyOf(slept.feed_id).map(({ period }) => period - 20261000)).toEqual(
    Array.from({ length: 31 }, (_, index) => index + 1),
  )
})

test('behavior: another due feed waits for at most that many transactions', async () => {
  const { rows, sent, options } = createBench()
  const controller = new AbortController()
  let now = NOW
  const attest = options.outbox.attest
  options.outbox.attest = async (...call) => {
    // A block every five minutes: the hourly feed, polled every ten, has another value each time.
    now += 300_000
    rows.PROMPT = [rowOf({ period: '2026-11-16T01', value: String(now) })]
    return attest(...call)
  }
  await runReportingLoop({
    schedule: new Schedule({ feeds, intervals: defaultIntervals, random: () => 0.5 }),
    now: () => now,
    wait: async (ms) => {
      now += ms
    },
    stop: controller.signal,
    async cycle(due, report) {
      const outcomes = await runCycle(due, { ...options, now: () => now })
      for (const outcome of outcomes) report(outcome)
      if (due.includes(slept) && lastOf(outcomes, slept).missing === 0) controller.abort()
    },
  })
  const runs = sent.map(([first]) => (first?.feed_id === slept.feed_id ? 's' : 'P')).join('')
  expect(runs.replaceAll('P', '')).toHaveLength(6)
  expect(runs).not.toContain('sss')
})

test('behavior: revisions that are too many for a cycle are counted as missing, and the newest stays the newest', async () => {
  const { chain, options, rows } = createBench()
  const newest = daysOf(11)
  rows.SLEPT = newest
  chain.forget(slept.feed_id)
  for (const day of newest.slice(1).toReversed())
    chain.attest(
      slept.feed_id,
      attestationOf({ period: Number(day.period.replaceAll('-', '')), timestamp: 0 }),
    )
  const seen: unknown[] = []
  for (let cycle = 0; cycle < 3; cycle++) {
    const outcome = lastOf(await runCycle([slept], { ...options, lookBack: 10 }), slept)
    seen.push([outcome.decision, outcome.result?.period, outcome.revised.length, outcome.missing])
    const periods = chain.historyOf(slept.feed_id).map(({ period }) => period)
    expect(periods.at(-1)).toBe(Math.max(...periods))
  }
  expect(seen).toEqual([
    ['revision', 20261010, 9, 2],
    ['new-period', 20261011, 1, 0],
    ['unchanged', 20261011, 0, 0],
  ])
})

test('default: the agent sends four transactions of a feed in a cycle, with --once all of them', async () => {
  await using bench = await createBackfillBench()
  const publish = (from: number, to: number) =>
    bench.publish(
      Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [from + index, '1'])),
    )
  publish(1, 1)
  await bench.run({ from: '2026-01-01', to: '2026-01-01' })
  publish(2, 31)
  const cycles: FeedOutcome[] = []
  const ignore = () => {}
  for (const isOnce of [false, true]) {
    const stop = new AbortController()
    await runAgent({
      settings: bench.settings,
      feeds: [feed],
      intervals: defaultIntervals,
      isOnce,
      isDryRun: false,
      log: { info: ignore, warn: ignore, error: ignore },
      metrics: createAgentMetrics(),
      platform: {
        ...bench.platform,
        // Nobody's patience ends here.
        wait: (ms, signal) =>
          ms < 60_000
            ? turn()
            : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
      onEvent(event) {
        // Before the loop hears of the outcome, so that it starts no other cycle.
        if (event.event === 'outcome') stop.abort()
        if (event.event === 'cycle') cycles.push(...event.outcomes)
      },
      stop: stop.signal,
      abandon: new AbortController().signal,
    })
  }
  expect(
    cycles.map(({ error, transactionHashes, caughtUp, missing }) => [
      error,
      transactionHashes.length,
      caughtUp.length,
      missing,
    ]),
  ).toEqual([
    [null, 4, 16, 19],
    [null, 5, 18, 0],
  ])
})
