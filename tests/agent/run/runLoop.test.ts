import { beforeEach, describe, expect, test } from 'bun:test'
import { sleep } from '@wattfeed/base'
import fc from 'fast-check'
import type { AgentEvent } from '../../../src/agent/events.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createStopSignals } from '../../../src/agent/run/agentCommand.ts'
import { Schedule } from '../../../src/agent/run/schedule.ts'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { manifestOf } from '../datasets/fakes.ts'
import { anySource, feedOf, rowOf, runReportingLoop } from './fakes.ts'

const feeds = [feedOf('HOURLY', { frequency: 'hourly' }), feedOf('DAILY')]

const result = {
  decision: 'unchanged',
  period: 1,
  amount: 1n,
  unit: '',
  source_hash: '',
  source: anySource,
} as const

const outcomeOf = (feedId: string, error: Error | null, missing = 0): FeedOutcome =>
  error === null
    ? decidedOutcome(feedId, { row: rowOf(), result }, { missing })
    : failedOutcome(feedId, error, { row: null, result: null }, { missing })

/** A loop on a clock that the waits move, stopped after some cycles. */
async function runCycles(cycles: number, { cycleMs = 0, failing = '', unfinished = '' } = {}) {
  const controller = new AbortController()
  const ran: [number, string[]][] = []
  let now = 0
  let running = 0
  await runReportingLoop({
    schedule: new Schedule({ feeds, intervals: defaultIntervals, random: () => 0.5 }),
    now: () => now,
    wait: async (ms) => {
      now += ms
    },
    stop: controller.signal,
    async cycle(due, report) {
      expect(running++).toBe(0)
      ran.push([now / 60_000, due.map(({ feed_id }) => feed_id)])
      await Promise.resolve()
      now += cycleMs
      if (ran.length === cycles) controller.abort()
      running -= 1
      for (const { feed_id } of due)
        report(
          outcomeOf(
            feed_id,
            feed_id === failing ? new Error('no') : null,
            feed_id === unfinished && ran.length < 3 ? 7 : 0,
          ),
        )
    },
  })
  return ran
}

describe('runLoop', () => {
  test('default: cycles run one after another, each when the next feed is due', async () => {
    expect(await runCycles(3)).toEqual([
      [0, ['EIA.HOURLY', 'EIA.DAILY']],
      [10, ['EIA.HOURLY']],
      [20, ['EIA.HOURLY']],
    ])
  })

  test('behavior: a failing feed is retried on its own schedule', async () => {
    expect(await runCycles(4, { failing: 'EIA.DAILY' })).toEqual([
      [0, ['EIA.HOURLY', 'EIA.DAILY']],
      [0.5, ['EIA.DAILY']],
      [1.5, ['EIA.DAILY']],
      [3.5, ['EIA.DAILY']],
    ])
  })

  test('behavior: a feed that lacks periods is due at once until it has them, then with the others', async () => {
    expect(await runCycles(4, { unfinished: 'EIA.DAILY' })).toEqual([
      [0, ['EIA.HOURLY', 'EIA.DAILY']],
      [0, ['EIA.DAILY']],
      [0, ['EIA.DAILY']],
      [10, ['EIA.HOURLY']],
    ])
  })

  test('behavior: a feed that lacks periods still backs off after a failure', async () => {
    expect(await runCycles(2, { unfinished: 'EIA.DAILY', failing: 'EIA.DAILY' })).toEqual([
      [0, ['EIA.HOURLY', 'EIA.DAILY']],
      [0.5, ['EIA.DAILY']],
    ])
  })

  test('behavior: a cycle that takes long is followed by the next at once, never beside it', async () => {
    expect((await runCycles(3, { cycleMs: 25 * 60_000 })).map(([minute]) => minute)).toEqual([0, 25, 50])
  })

  test('behavior: an early timer starts no empty cycle', async () => {
    const ran: [number, number][] = []
    let now = 0
    const controller = new AbortController()
    await runReportingLoop({
      schedule: new Schedule({ feeds, intervals: defaultIntervals, random: () => 0.5 }),
      now: () => now,
      wait: async (ms) => {
        now += Math.ceil(ms / 2)
      },
      stop: controller.signal,
      async cycle(due, report) {
        ran.push([now, due.length])
        if (ran.length === 2) controller.abort()
        for (const { feed_id } of due) report(outcomeOf(feed_id, null))
      },
    })
    expect(ran).toEqual([
      [0, 2],
      [600_000, 1],
    ])
  })

  test('behavior: a feed that is hurried is due at once, and one that has changed in half an hour', async () => {
    const controller = new AbortController()
    const ran: [minute: number, feedIds: string[]][] = []
    let [now, waits, report] = [0, 0, (_: AgentEvent): void => {}]
    const feedId = 'EIA.DAILY'
    const adopted: AgentEvent = {
      ...{ event: 'snapshot_adopted', feedId, manifest: manifestOf() },
      ...{ base: '', changes: 1, isNew: true, durationMs: 0 },
    }
    await runReportingLoop({
      schedule: new Schedule({ feeds: [feedOf('DAILY')], intervals: defaultIntervals, random: () => 0.5 }),
      now: () => now,
      async wait(ms, signal) {
        waits += 1
        if (waits === 1) report(adopted)
        if (waits === 3) report({ event: 'dataset_behind', feedId })
        if (!signal.aborted) now += ms
      },
      onSubscribe(tell) {
        report = tell
      },
      stop: controller.signal,
      async cycle(due, report) {
        ran.push([now / 60_000, due.map(({ feed_id }) => feed_id)])
        if (ran.length === 3) controller.abort()
        for (const { feed_id } of due) report(outcomeOf(feed_id, null))
      },
    })
    expect(ran).toEqual([
      [0, ['EIA.DAILY']],
      [30, ['EIA.DAILY']],
      [30, ['EIA.DAILY']],
    ])
  })

  test('behavior: a stop ends the wait', async () => {
    const controller = new AbortController()
    const loop = runReportingLoop({
      schedule: new Schedule({ feeds, intervals: defaultIntervals, random: Math.random }),
      now: Date.now,
      wait: sleep,
      stop: controller.signal,
      async cycle(due, report) {
        setImmediate(() => controller.abort(new Error('stop')))
        for (const { feed_id } of due) report(outcomeOf(feed_id, null))
      },
    })
    expect(await loop).toBeUndefined()
  })

  test('behavior: a clock that is set back stops no feed, and makes all of them due', async () => {
    const controller = new AbortController()
    const ran: [number, string[]][] = []
    const HOURS = 3_600_000
    let steady = 0
    // Six hours fast, and corrected after 15 minutes.
    const ahead = () => (steady < 900_000 ? 6 * HOURS : 0)
    await runReportingLoop({
      schedule: new Schedule({
        feeds,
        intervals: defaultIntervals,
        random: () => 0.5,
        aheadMs: ahead,
      }),
      reload: {
        pollMs: 60_000,
        nextAsked: () => new AbortController().signal,
        readChanges: async () => null,
      },
      now: () => steady,
      wait: async (ms) => {
        steady += ms
      },
      stop: controller.signal,
      async cycle(due, report) {
        ran.push([steady / 60_000, due.map(({ feed_id }) => feed_id)])
        if (ran.length === 4) controller.abort()
        for (const { feed_id } of due) report(outcomeOf(feed_id, null))
      },
    })
    expect(ran).toEqual([
      [0, ['EIA.HOURLY', 'EIA.DAILY']],
      [10, ['EIA.HOURLY']],
      [15, ['EIA.HOURLY', 'EIA.DAILY']],
      [25, ['EIA.HOURLY']],
    ])
  })

  test('error: a wait that fails for another reason is reported', () => {
    const loop = runReportingLoop({
      schedule: new Schedule({ feeds, intervals: defaultIntervals, random: Math.random }),
      now: Date.now,
      wait: () => Promise.reject(new TypeError('broken')),
      stop: new AbortController().signal,
      cycle: async () => {},
    })
    expect(loop).rejects.toThrow('broken')
  })
})

describe('reload', () => {
  const changed = { ...feedOf('DAILY'), decimals: 3 }

  /** A loop whose feeds change as told, on a clock that the waits move; `ask` asks for them at once. */
  async function run(
    looks: readonly (readonly SeriesConfig[] | null)[],
    { pollMs = Number.POSITIVE_INFINITY, cycles = 3, onCycle = (_: () => void) => {} } = {},
  ) {
    const stop = new AbortController()
    const signals = createStopSignals(async () => {})
    const ran: [number, string[]][] = []
    const asked: boolean[] = []
    let now = 0
    await runReportingLoop({
      schedule: new Schedule({ feeds, intervals: defaultIntervals, random: () => 0.5 }),
      reload: {
        pollMs,
        nextAsked: signals.nextReload,
        async readChanges(isAsked) {
          expect(ran.length).toBe(ended)
          asked.push(isAsked)
          return looks[asked.length - 1] ?? null
        },
      },
      now: () => now,
      wait: async (ms, signal) => {
        signal.throwIfAborted()
        now += ms
      },
      stop: stop.signal,
      async cycle(due, report) {
        ran.push([now / 60_000, due.map(({ feed_id }) => feed_id)])
        onCycle(signals.reload)
        await Promise.resolve()
        ended += 1
        if (ran.length === cycles) stop.abort()
        for (const { feed_id } of due) report(outcomeOf(feed_id, null))
      },
    })
    return { ran, asked }
  }
  let ended = 0
  beforeEach(() => {
    ended = 0
  })

  test('default: checks between cycles, as often as configured; new and changed feeds are due at once', async () => {
    const looks = [null, null, [feeds[0], changed, feedOf('NEW')] as SeriesConfig[]]
    const { ran } = await run(looks, { pollMs: 4 * 60_000, cycles: 4 })
    expect(ran).toEqual([
      [0, ['EIA.HOURLY', 'EIA.DAILY']],
      [8, ['EIA.DAILY', 'EIA.NEW']],
      [10, ['EIA.HOURLY']],
      [20, ['EIA.HOURLY']],
    ])
  })

  test('behavior: a request during a cycle is done right after it', async () => {
    let isFirst = true
    const { ran, asked } = await run([null, feeds.slice(1)], {
      cycles: 2,
      onCycle(ask) {
        if (isFirst) ask()
        isFirst = false
      },
    })
    expect([ran, asked]).toEqual([
      [
        [0, ['EIA.HOURLY', 'EIA.DAILY']],
        [60, ['EIA.DAILY']],
      ],
      [false, true, false],
    ])
  })
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const scheduled = [
  feedOf('HOURLY', { frequency: 'hourly' }),
  feedOf('DAILY'),
  feedOf('DAILY_TOO'),
  feedOf('ANNUAL', { frequency: 'annual' }),
]
const [hourly, daily, dailyToo, annual] = scheduled.map(({ feed_id }) => feed_id)
const all = scheduled.map(({ feed_id }) => feed_id)

/** A schedule whose jitter is nothing, unless it is told. */
const scheduleOf = (random = () => 0.5) => {
  const schedule = new Schedule({ feeds: scheduled, intervals: defaultIntervals, random })
  const succeeded = (feedId: string) => schedule.settle(outcomeOf(feedId, null), 0)
  return {
    nextAt: () => schedule.nextAt(),
    setFeeds: (feeds: readonly SeriesConfig[]) => schedule.setFeeds(feeds),
    take: (now: number) => schedule.takeDue(now).map(({ feed_id }) => feed_id),
    succeeded,
    failed: (feedId: string, now: number) => schedule.settle(outcomeOf(feedId, new Error('no')), now),
    succeedAll: (feedIds: readonly string[]) => feedIds.forEach(succeeded),
  }
}

describe('Schedule', () => {
  test('default: all at once, then each frequency in its interval', () => {
    const schedule = scheduleOf()
    const taken: [number, string[]][] = []
    for (let now = 0; now <= 2 * HOUR; now = schedule.nextAt()) {
      const due = schedule.take(now)
      taken.push([now / MINUTE, due])
      schedule.succeedAll(due)
    }
    expect(taken.slice(0, 8)).toEqual([
      [0, all],
      [10, [hourly]],
      [20, [hourly]],
      [30, [hourly]],
      [40, [hourly]],
      [50, [hourly]],
      [60, [hourly, daily, dailyToo]],
      [70, [hourly]],
    ] as [number, string[]][])
  })

  test('behavior: jitter moves a whole frequency, a tenth of its interval at most', () => {
    for (const [random, at] of [
      [0, 54 * MINUTE],
      [0.999_999, 66 * MINUTE],
    ] as const) {
      const schedule = scheduleOf(() => random)
      schedule.succeedAll(schedule.take(0).slice(1, 3))
      schedule.failed(`${hourly}`, 10 * HOUR)
      schedule.failed(`${annual}`, 10 * HOUR)
      expect(Math.round(schedule.nextAt() / 1_000)).toBe(at / 1_000)
      expect(schedule.take(at)).toEqual([daily, dailyToo] as string[])
    }
  })

  test('behavior: a failing feed backs off on its own, and is due with the others again afterwards', () => {
    const schedule = scheduleOf()
    schedule.succeedAll(schedule.take(0).filter((feedId) => feedId !== daily))
    schedule.failed(`${daily}`, 0)
    expect(schedule.take(29_999)).toEqual([])
    expect(schedule.take(30_000)).toEqual([`${daily}`])
    schedule.failed(`${daily}`, 31_000)
    expect(schedule.take(90_999)).toEqual([])
    expect(schedule.take(91_000)).toEqual([`${daily}`])
    schedule.succeeded(`${daily}`)
    schedule.succeedAll(schedule.take(HOUR - 1))
    expect(schedule.take(HOUR)).toEqual([hourly, daily, dailyToo].filter((id) => id !== hourly) as string[])
  })

  test('behavior: the back-off doubles up to the interval of the frequency, and starts again after a success', () => {
    const schedule = scheduleOf()
    schedule.take(0)
    schedule.succeeded(`${hourly}`)
    for (const feedId of [dailyToo, annual]) schedule.failed(`${feedId}`, 1_000 * HOUR)
    const pauses: number[] = []
    for (let failures = 0; failures < 9; failures++) {
      schedule.failed(`${daily}`, 0)
      schedule.failed(`${hourly}`, 1_000 * HOUR)
      pauses.push(schedule.nextAt() / MINUTE)
    }
    expect(pauses).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 60])
    schedule.succeeded(`${daily}`)
    schedule.failed(`${daily}`, 0)
    expect(schedule.nextAt()).toBe(30_000)
  })

  test('behavior: after a reload, unchanged feeds keep their due time and their back-off', () => {
    const schedule = scheduleOf()
    schedule.succeedAll(schedule.take(0).filter((feedId) => feedId !== daily))
    schedule.failed(`${daily}`, 0)
    schedule.failed(`${daily}`, 0)
    const [hourlyFeed, dailyFeed, dailyTooFeed] = scheduled as [SeriesConfig, SeriesConfig, SeriesConfig]
    schedule.setFeeds([structuredClone(dailyFeed), hourlyFeed, { ...dailyTooFeed, unit: '$' }, feedOf('NEW')])
    expect(schedule.take(1)).toEqual([`${dailyToo}`, 'EIA.NEW'])
    schedule.succeedAll([`${dailyToo}`, 'EIA.NEW', `${annual}`])
    expect([schedule.take(MINUTE - 1), schedule.take(MINUTE)]).toEqual([[], [`${daily}`]])
    schedule.failed(`${daily}`, 0)
    expect(schedule.nextAt()).toBe(2 * MINUTE)
    expect(schedule.take(HOUR)).toEqual([daily, hourly, dailyToo, 'EIA.NEW'] as string[])
    expect(schedule.take(1_000 * HOUR)).not.toContain(`${annual}`)
  })

  test('behavior: a cycle that took longer than an interval does not make up for it', () => {
    const schedule = scheduleOf()
    const due = schedule.take(0)
    schedule.succeedAll(due)
    expect(schedule.take(5 * HOUR)).toEqual([hourly, daily, dailyToo] as string[])
    schedule.succeedAll([`${hourly}`, `${daily}`, `${dailyToo}`])
    expect(schedule.nextAt()).toBe(5 * HOUR + 10 * MINUTE)
  })

  test('behavior: after any outcome, every feed is due again within its interval and a tenth', () => {
    const step = fc.record({
      failing: fc.array(fc.integer({ min: 0, max: scheduled.length - 1 })),
      lateMs: fc.integer({ min: 0, max: HOUR }),
    })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })),
        (steps, random) => {
          const schedule = new Schedule({
            feeds: scheduled,
            intervals: defaultIntervals,
            random: () => random.next().value,
          })
          const lastAt = new Map<string, number>()
          let now = 0
          for (const { failing, lateMs } of steps) {
            now = Math.max(now, schedule.nextAt()) + lateMs
            const due = schedule.takeDue(now)
            expect(due).not.toBeEmpty()
            for (const { feed_id, frequency } of due) {
              const longest = 1.1 * defaultIntervals[frequency] + HOUR
              expect(now - (lastAt.get(feed_id) ?? now)).toBeLessThanOrEqual(longest + lateMs)
              lastAt.set(feed_id, now)
              const isFailing = failing.some((index) => scheduled[index]?.feed_id === feed_id)
              schedule.settle(outcomeOf(feed_id, isFailing ? new Error('no') : null), now)
            }
          }
        },
      ),
    )
  })
})
