import { describe, expect, test } from 'bun:test'
import type { Snapshot } from 'wattfeed'
import type { FeedHistory } from '../../../packages/wattfeed/src/history/feedHistory.ts'
import {
  createHistoryWalks,
  HistoryBusyError,
  HistoryFillingError,
} from '../../../src/server/readers/historyWalks.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { createTestLog } from '../testApp.ts'

const COUNT = 2_500

/** Histories whose values are read step by step, controlled by the test. */
function createSlowHistory() {
  const known = new Map<string, number>()
  const steps: { feedId: string; end: number; finish: () => void; fail: (error: Error) => void }[] = []
  let inFlight = 0
  let mostInFlight = 0

  const readTo: (feedId: string) => FeedHistory['readTo'] =
    (feedId) =>
    async (end, { limit = <T>(work: () => Promise<T>) => work() } = {}) => {
      const call = () =>
        limit(async () => {
          mostInFlight = Math.max(mostInFlight, ++inFlight)
          await Promise.resolve()
          inFlight -= 1
        })
      await Promise.all(Array.from({ length: 40 }, call))
      await new Promise<void>((finish, fail) => steps.push({ feedId, end, finish, fail }))
      known.set(feedId, end)
    }

  const open = async (_: Snapshot, feedId: string): Promise<FeedHistory> => ({
    feedId,
    feed: readingOf(),
    count: COUNT,
    values: [],
    assertFits: () => {},
    known: () => known.get(feedId) ?? 0,
    readTo: readTo(feedId),
    page: () => Promise.reject(new Error('no page is asked for')),
  })
  return { open, steps, mostInFlight: () => mostInFlight }
}

/** Runs everything that is ready to run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

function start() {
  const history = createSlowHistory()
  const { log, lines } = createTestLog()
  let nowMs = 0
  const now = () => nowMs
  const walks = createHistoryWalks({ client: createFakeClient(), history, concurrency: 32, log, now })
  const fill = (feedId: string, known = 0): unknown => {
    try {
      return walks.fill({ feedId, known, needed: COUNT })
    } catch (error) {
      return error
    }
  }
  return { ...history, walks, fill, lines, wait: (ms: number) => (nowMs += ms) }
}

describe('walks', () => {
  test('default: one walk per feed, in steps up to the needed value', async () => {
    const { fill, steps, walks } = start()
    expect(fill('A')).toEqual(
      new HistoryFillingError({ feedId: 'A', known: 0, needed: COUNT, retryAfterMs: 4_000 }),
    )
    fill('A')
    for (const end of [1_000, 2_000, 2_500]) {
      await settle()
      expect(steps.map((step) => [step.feedId, step.end])).toEqual([['A', end]])
      steps.pop()?.finish()
    }
    await settle()
    expect([steps.length, walks.status()]).toEqual([0, { running: 0, waiting: 0 }])
  })

  test('behavior: two run at once, 16 more are queued, and the next is rejected', async () => {
    const { fill, steps, walks } = start()
    for (let feed = 0; feed < 18; feed++) expect(fill(`${feed}`)).toBeInstanceOf(HistoryFillingError)
    expect(fill('one too many')).toEqual(new HistoryBusyError({ feedId: 'one too many', waiting: 18 }))
    expect(fill('3')).toBeInstanceOf(HistoryFillingError)
    await settle()
    await new Promise(setImmediate)
    expect(walks.status()).toEqual({ running: 2, waiting: 16 })
    expect(steps.map(({ feedId }) => feedId)).toEqual(['0', '1'])
    const begun = new Set<string>()
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      begun.add(step.feedId)
      step.finish()
      await settle()
      expect(walks.status().running).toBeLessThanOrEqual(2)
    }
    expect([...begun]).toEqual(Array.from({ length: 18 }, (_, feed) => `${feed}`))
  })

  test('behavior: of several feeds, those are read for which the queue has room', async () => {
    const { walks } = start()
    const wanted = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => ({ feedId: `${from + at}`, known: 0, needed: COUNT }))
    const [first, ...others] = wanted(0, 20)
    if (first === undefined) throw new Error('no feed')
    expect(() => walks.fill(first, ...others)).toThrow(
      new HistoryFillingError({ feedId: '0', known: 0, needed: COUNT, retryAfterMs: 4_000 }),
    )
    await new Promise(setImmediate)
    expect(walks.status()).toEqual({ running: 2, waiting: 16 })
    const [late, ...later] = wanted(18, 20)
    if (late === undefined) throw new Error('no feed')
    expect(() => walks.fill(late, ...later)).toThrow(new HistoryBusyError({ feedId: '18', waiting: 18 }))
    expect(() => walks.fill(late, ...later, first)).toThrow(HistoryFillingError)
  })

  test('behavior: together they use a quarter of the concurrent calls', async () => {
    const { fill, mostInFlight } = start()
    fill('A')
    fill('B')
    await settle()
    expect(mostInFlight()).toBe(8)
  })

  test('behavior: the retry delay follows from the speed so far', async () => {
    const { fill, steps, wait } = start()
    fill('A')
    await settle()
    steps.pop()?.finish()
    wait(2_000)
    expect(fill('A', 1_000)).toMatchObject({ retryAfterMs: 3_000, known: 1_000, needed: COUNT })
  })

  test('error: a failed walk is logged and leaves the queue; the next request starts again', async () => {
    const { fill, steps, lines, walks } = start()
    for (const feedId of ['A', 'B', 'C']) fill(feedId)
    await settle()
    steps.shift()?.fail(new Error('the node is gone'))
    await settle()
    expect(lines).toMatchObject([{ level: 'warn', fields: { feedId: 'A' } }])
    expect(steps.map(({ feedId }) => feedId)).toEqual(['B', 'C'])
    fill('A')
    expect(walks.status()).toEqual({ running: 2, waiting: 1 })
  })
})
