import { describe, expect, test } from 'bun:test'
import { type FeedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createSchedule, runLoop } from '../../../src/agent/loop/runLoop.ts'
import { sleep } from '../../../src/async/sleep.ts'
import { feedOf } from './fakes.ts'

const feeds = [feedOf('HOURLY', { frequency: 'hourly' }), feedOf('DAILY')]

const outcomeOf = (feedId: string, error: Error | null): FeedOutcome => ({
  ...failedOutcome(feedId, error ?? new Error(), { row: null, result: null }),
  ...(error === null && { decision: 'unchanged', error: null }),
})

/** A loop on a clock that the waits move, stopped after some cycles. */
async function runCycles(cycles: number, { cycleMs = 0, failing = '' } = {}) {
  const controller = new AbortController()
  const ran: [number, string[]][] = []
  let now = 0
  let running = 0
  await runLoop({
    schedule: createSchedule({ feeds, intervals: defaultIntervals, random: () => 0.5 }),
    now: () => now,
    wait: async (ms) => {
      now += ms
    },
    stop: controller.signal,
    async cycle(due) {
      expect(running++).toBe(0)
      ran.push([now / 60_000, due.map(({ feed_id }) => feed_id)])
      await Promise.resolve()
      now += cycleMs
      if (ran.length === cycles) controller.abort()
      running -= 1
      return due.map(({ feed_id }) => outcomeOf(feed_id, feed_id === failing ? new Error('no') : null))
    },
  })
  return ran
}

describe('runLoop', () => {
  test('default: one cycle after another, each when the next feed is due', async () => {
    expect(await runCycles(3)).toEqual([
      [0, ['EIA.HOURLY', 'EIA.DAILY']],
      [10, ['EIA.HOURLY']],
      [20, ['EIA.HOURLY']],
    ])
  })

  test('behavior: a feed that fails comes back on its own', async () => {
    expect(await runCycles(4, { failing: 'EIA.DAILY' })).toEqual([
      [0, ['EIA.HOURLY', 'EIA.DAILY']],
      [0.5, ['EIA.DAILY']],
      [1.5, ['EIA.DAILY']],
      [3.5, ['EIA.DAILY']],
    ])
  })

  test('behavior: a cycle that takes long is followed by the next at once, never beside it', async () => {
    expect((await runCycles(3, { cycleMs: 25 * 60_000 })).map(([minute]) => minute)).toEqual([0, 25, 50])
  })

  test('behavior: a timer that is early begins no empty cycle', async () => {
    const ran: [number, number][] = []
    let now = 0
    const controller = new AbortController()
    await runLoop({
      schedule: createSchedule({ feeds, intervals: defaultIntervals, random: () => 0.5 }),
      now: () => now,
      wait: async (ms) => {
        now += Math.ceil(ms / 2)
      },
      stop: controller.signal,
      async cycle(due) {
        ran.push([now, due.length])
        if (ran.length === 2) controller.abort()
        return due.map(({ feed_id }) => outcomeOf(feed_id, null))
      },
    })
    expect(ran).toEqual([
      [0, 2],
      [600_000, 1],
    ])
  })

  test('behavior: a stop ends the wait', async () => {
    const controller = new AbortController()
    const loop = runLoop({
      schedule: createSchedule({ feeds, intervals: defaultIntervals, random: Math.random }),
      now: Date.now,
      wait: sleep,
      stop: controller.signal,
      async cycle(due) {
        setImmediate(() => controller.abort(new Error('stop')))
        return due.map(({ feed_id }) => outcomeOf(feed_id, null))
      },
    })
    expect(await loop).toBeUndefined()
  })

  test('error: a wait that breaks for another reason is told', () => {
    const loop = runLoop({
      schedule: createSchedule({ feeds, intervals: defaultIntervals, random: Math.random }),
      now: Date.now,
      wait: () => Promise.reject(new TypeError('broken')),
      stop: new AbortController().signal,
      cycle: async () => [],
    })
    expect(loop).rejects.toThrow('broken')
  })
})
