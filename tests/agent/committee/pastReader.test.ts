import { describe, expect, test } from 'bun:test'
import type { EiaRow } from '@wattfeed/eia'
import { PastReader } from '../../../src/agent/committee/pastReader.ts'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { createFakeChain, createFakeEia, feedOf, NOW, rowOf } from '../run/fakes.ts'

const DAY_MS = 86_400_000
const feed = feedOf('A')
const range = { first: 20261101, last: 20261103 }

/** Rows of days in November 2026, newest first. */
const november = (...days: readonly number[]): EiaRow[] =>
  days
    .toSorted((a, b) => b - a)
    .map((day) => rowOf({ period: `2026-11-${String(day).padStart(2, '0')}`, value: `${day}` }))

function createBench(
  rows: readonly EiaRow[] = november(1, 2, 3, 4),
  feeds: readonly SeriesConfig[] = [feed],
) {
  const chain = createFakeChain(feeds)
  const { eia, asked } = createFakeEia(() => rows)
  const world = { time: NOW }
  const stop = new AbortController().signal
  const reader = new PastReader({ eia, now: () => world.time, stop })
  return {
    chain,
    asked,
    world,
    read: async (of = range, which: SeriesConfig = feed) => reader.read(which, of, await chain.openView()),
  }
}

/** What a read has returned, in short. */
const brief = (read: Awaited<ReturnType<ReturnType<typeof createBench>['read']>>) =>
  'refusal' in read
    ? read.refusal.code
    : {
        own: [...read.own.values()].map(({ period, amount }) => `${period} ${amount}`),
        prints: [...read.prints.values()].map(({ period, amount }) => `${period} ${amount}`),
      }

const valuesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ period: 20000101 + index, amount: BigInt(index) }))

describe('PastReader', () => {
  test("default: EIA's values up to the last period, and the chain's last value of each period", async () => {
    const { chain, asked, read } = createBench()
    chain.attest(
      feed.feed_id,
      { period: 20261102, amount: 7n },
      { period: 20261104, amount: 400n },
      { period: 20261102, amount: 200n },
    )
    expect(brief(await read())).toEqual({
      own: ['20261101 100', '20261102 200', '20261103 300'],
      prints: ['20261102 200', '20261104 400'],
    })
    expect(asked).toEqual(['since 20261100, most 999'])
  })

  test('behavior: one request for a feed in 30 s; other periods are refused meanwhile', async () => {
    const { asked, world, read } = createBench()
    const other = { first: 20261102, last: 20261103 }
    expect(brief(await read())).toMatchObject({ own: { length: 3 } })
    expect(brief(await read())).toMatchObject({ own: { length: 3 } })
    expect(brief(await read(other))).toBe('not_released')
    world.time += 30_000
    expect(brief(await read(other))).toMatchObject({ own: { length: 2 } })
    expect(asked).toHaveLength(2)
  })

  test('behavior: a long history takes several reads, and then only what is new', async () => {
    const { chain, asked, read } = createBench()
    chain.attest(feed.feed_id, ...valuesOf(900))
    expect([brief(await read()), brief(await read())]).toEqual(['stale_node', 'stale_node'])
    expect(asked).toEqual([])
    expect(brief(await read())).toMatchObject({ prints: { length: 900 } })
    const before = chain.valuesRead()
    chain.attest(feed.feed_id, { period: 20261101, amount: 1n })
    expect(brief(await read())).toMatchObject({ prints: { length: 901 } })
    // The new value, and one that shows that it is the same chain.
    expect(chain.valuesRead() - before).toBe(2)
  })

  test('behavior: one history at a time', async () => {
    const other = feedOf('B')
    const { chain, read } = createBench(november(1), [feed, other])
    chain.attest(feed.feed_id, ...valuesOf(3))
    const both = await Promise.all([read(), read(range, other)])
    expect(both.map(brief)).toEqual([expect.objectContaining({ own: ['20261101 100'] }), 'stale_node'])
  })

  test('behavior: a lagging node shows fewer values, and another chain others', async () => {
    const { chain, read } = createBench()
    chain.attest(feed.feed_id, ...valuesOf(3))
    const history = chain.historyOf(feed.feed_id)
    await read()
    const [first, second, third] = history.splice(0)
    if (first === undefined || second === undefined || third === undefined) throw new Error('three values')
    history.push(first, second)
    expect(brief(await read())).toMatchObject({ prints: ['20000101 0', '20000102 1'] })
    history.splice(0, 2, { ...first, amount: 9n }, { ...second, amount: 9n }, third)
    history.pop()
    expect(brief(await read())).toMatchObject({ prints: ['20000101 9', '20000102 9'] })
  })

  test('behavior: forecasts are no past values, also of a feed that attests them', async () => {
    const { read } = createBench(november(19, 20, 21))
    const forecasts = feedOf('A', { allow_future: true })
    const read19 = await read({ first: 20261119, last: 20261121 }, forecasts)
    expect(brief(read19)).toMatchObject({ own: ['20261119 1900', '20261120 2000'] })
  })

  test('error: too many periods of EIA, and an error of EIA', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) =>
      rowOf({ period: new Date(NOW - index * DAY_MS).toISOString().slice(0, 10) }),
    )
    const { read } = createBench(rows)
    expect(brief(await read({ first: 20000101, last: 20261120 }))).toBe('invalid_terms')
    const doubled = createBench([...november(1), rowOf({ period: '2026-11-01', value: '7' })])
    expect(brief(await doubled.read())).toBe('not_released')
  })
})
