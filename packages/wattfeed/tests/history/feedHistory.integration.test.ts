import { describe, expect, test } from 'bun:test'
import { coverageOf } from '@wattfeed/eia'
import { createRandom } from '@wattfeed/testing/random'
import fc from 'fast-check'
import { createClient } from 'wattfeed'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { createHistory, type HistoryItem } from '../../src/history/feedHistory.ts'
import { isByPeriod, limitOf } from '../../src/history/historyQuery.ts'
import { HistoryTooLargeError } from '../../src/history/knownValues.ts'
import { callsOf, localClient } from '../support/localClient.ts'
import { modelSelection } from '../support/plainModel.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'
import { createVerifiedWorld } from '../support/verifiedWorld.ts'
import { WTI } from '../support/world.ts'
import { historyQueries } from './historyQueries.ts'

const id = testFeedId(0)

describe('a history of the embedded chain', () => {
  test.each([
    [16, id],
    [17, '=1+1/#é😀'],
    [18, '__proto__'],
  ])(
    'default: each page is that of a plain model, after periods in any order, revisions and new decimals (%i, %s)',
    async (seed, id) => {
      const chain = await createRegistryChain({ feeds: 1 })
      const random = createRandom(seed)
      const pick = (count: number) => Math.floor(random() * count)
      const attested: { period: number; amount: bigint }[] = []
      chain.register(id)
      await chain.advance()
      for (let block = 0; block < 8; block++) {
        for (let value = pick(4); value >= 0; value--) {
          const next = { period: 20_261_001 + pick(7) * 10, amount: BigInt(pick(3)) * 10n ** 20n }
          chain.attest(id, next)
          attested.push(next)
        }
        if (block % 3 === 0) chain.register(id, { decimals: 2 + block })
        await chain.advance()
      }
      const { client } = localClient(chain)
      const history = createHistory(client)
      const stored = await client.getValueHistory(id)
      expect(stored.slice(-attested.length)).toMatchObject(attested)
      const periods = [...new Set(stored.map(({ period }) => period))]
      const first = stored[0]?.timestamp ?? 0
      await fc.assert(
        fc.asyncProperty(historyQueries, async (drawn) => {
          const query = {
            ...drawn,
            ...(drawn.period_from === undefined
              ? {}
              : { period_from: periods[drawn.period_from] ?? 20_261_001 }),
            ...(drawn.period_to === undefined ? {} : { period_to: 99_999_999 }),
            ...(drawn.after !== undefined && isByPeriod(drawn) ? { after: 20_261_001 + drawn.after } : {}),
            ...(drawn.as_of === undefined ? {} : { as_of: first + (drawn.as_of - 1) * 4_000 }),
          }
          const selected = modelSelection(stored, query)
          const page = await history.page(id, query)
          expect(page).toMatchObject({ feed_id: id, decimals: 8, unit: '$/unit', frequency: 'daily' })
          expect(page?.count).toBe(stored.length)
          expect(page?.items).toEqual(
            selected.slice(0, limitOf(query)).map(({ timestamp, ...row }) => ({
              ...row,
              value: Number(row.amount) / 1e8,
              period_start: coverageOf({ route: '', frequency: 'daily' }, row.period)?.start ?? null,
              period_end: coverageOf({ route: '', frequency: 'daily' }, row.period)?.end ?? null,
              attested_at: timestamp,
            })),
          )
          expect(page?.next === null).toBe(selected.length <= limitOf(query))
        }),
        { numRuns: 200 },
      )
    },
  )

  test('behavior: a registered feed without a value has an empty page, an unknown one none', async () => {
    const chain = await createRegistryChain()
    chain.register('EMPTY')
    await chain.advance()
    const history = createHistory(localClient(chain).client)
    expect(await history.page('EMPTY')).toEqual({
      feed_id: 'EMPTY',
      decimals: 6,
      unit: '$/unit',
      frequency: 'daily',
      count: 0,
      items: [],
      next: null,
    })
    expect(await history.page('NOPE')).toBeNull()
    for await (const item of history.items('NOPE')) throw new Error(`${item.index} is of no feed`)
  })

  test('behavior: an id may hold any character', async () => {
    const chain = await createRegistryChain()
    const ids = ['=1+1', '#0', 'é😀', 'a/b?c', '__proto__']
    for (const odd of ids) chain.register(odd)
    await chain.advance()
    for (const odd of ids) chain.attest(odd, { source_hash: '=cmd' })
    await chain.advance()
    const history = createHistory(localClient(chain).client)
    for (const odd of ids)
      expect(await history.page(odd)).toMatchObject({ feed_id: odd, count: 1, items: [{ index: 0 }] })
  })

  test('error: a field of the query that breaks its rule, before any call', async () => {
    const history = createHistory(createClient({ fetch: () => Promise.reject(new Error('asked')) }))
    expect(history.page(id, { limit: 0 })).rejects.toThrow('limit must be')
    expect(history.page('\ud800')).rejects.toThrow('feedId must be')
  })
})

describe('calls', () => {
  async function start(values: number) {
    const chain = createSyntheticChain({ feeds: 2 })
    const feedId = syntheticFeedId(0)
    for (let index = 1; index < values; index++) chain.attest(feedId, { period: 20_000_101 + index })
    chain.advance()
    const local = localClient(chain)
    await local.client.listReadings()
    const history = createHistory(local.client)
    const calls = (act: () => Promise<unknown>) => callsOf(local.calls, act)
    return { chain, feedId, history, client: local.client, calls }
  }

  test('default: a first page costs the state root, the count and its values', async () => {
    const { history, calls, feedId } = await start(40)
    expect(await calls(() => history.page(feedId, { limit: 30 }))).toBe(32)
    expect(await calls(() => history.page(feedId, { limit: 30 }))).toBe(1)
    expect(await calls(() => history.page(feedId, { limit: 30, order: 'desc' }))).toBe(11)
    expect(await calls(() => history.page(feedId, { as_of: 2e12 }))).toBe(1)
  })

  test('error: a moment in seconds, or a period of another scale', async () => {
    const { history, feedId, calls } = await start(3)
    for (const as_of of [0, 1_700_000_000, 20_261_127, 1.7e15])
      expect(
        await calls(async () => expect(history.page(feedId, { as_of })).rejects.toThrow(`not ${as_of}`)),
      ).toBe(0)
    await expect(history.page(feedId, { period_from: 1_795_824_000 })).rejects.toThrow(
      'period_from must be YYYYMMDD (8 digits), not 1795824000, because the feed is daily',
    )
  })

  test('behavior: a block with another feed’s value costs no call of this one', async () => {
    const { chain, history, client, calls, feedId } = await start(40)
    await history.page(feedId, { order: 'desc' })
    chain.attest(syntheticFeedId(1), { amount: 5n })
    chain.advance()
    await client.listReadings()
    expect(await calls(() => history.page(feedId, { order: 'desc' }))).toBe(1)
  })

  test('behavior: after one new value a page costs it, the count, and a look at the value before', async () => {
    const { chain, history, client, calls, feedId } = await start(40)
    await history.page(feedId, { order: 'desc' })
    chain.attest(feedId, { amount: 5n })
    chain.advance()
    await client.listReadings()
    expect(await calls(() => history.page(feedId, { order: 'desc' }))).toBe(1 + 3)
    expect(await history.page(feedId, { order: 'desc', limit: 1 })).toMatchObject({
      count: 41,
      items: [{ index: 40, amount: 5n }],
    })
  })

  test('behavior: pages asked for together share their values', async () => {
    const { history, calls, feedId } = await start(40)
    const both = () => Promise.all([history.page(feedId), history.page(feedId, { vintages: 'first' })])
    expect(await calls(both)).toBe(1 + 1 + 40)
    expect(history.status().values).toBe(40)
  })

  test('behavior: a page of many rows starts before it is counted, and reads nothing twice', async () => {
    const { history, calls, feedId } = await start(1_000)
    expect(await calls(() => history.page(feedId, { limit: 1_000 }))).toBe(1_002)
  })

  test('behavior: an iterator reads page after page', async () => {
    const { history, feedId } = await start(250)
    const seen: HistoryItem[] = []
    for await (const item of history.items(feedId)) seen.push(item)
    expect(seen.map(({ index }) => index)).toEqual(Array.from({ length: 250 }, (_, index) => index))
  })

  test('behavior: the cache is bounded; the least recently used feed is evicted first', async () => {
    const chain = createSyntheticChain({ feeds: 3 })
    for (let feed = 0; feed < 3; feed++)
      for (let index = 1; index < 100; index++) chain.attest(syntheticFeedId(feed), { period: index })
    chain.advance()
    const { client, calls } = localClient(chain)
    await client.listReadings()
    const history = createHistory(client, { maxBytes: 70_000 })
    for (let feed = 0; feed < 2; feed++) await history.page(syntheticFeedId(feed))
    expect(history.status()).toEqual({ feeds: 2, values: 200, bytes: 54_400 })
    await history.page(syntheticFeedId(0))
    await history.page(syntheticFeedId(2))
    expect(history.status()).toEqual({ feeds: 2, values: 200, bytes: 54_400 })
    // A snapshot remembers what it has read.
    chain.advance()
    await client.listReadings()
    expect(await callsOf(calls, () => history.page(syntheticFeedId(0)))).toBe(1)
    expect(await callsOf(calls, () => history.page(syntheticFeedId(1)))).toBeGreaterThan(90)
  })

  test('error: a history that does not fit is not read at all', async () => {
    const { client, calls, feedId } = await start(100)
    const history = createHistory(client, { maxBytes: 20_000 })
    const page = () => history.page(feedId, { order: 'desc' })
    // The state root and the count.
    expect(await calls(() => page().catch(() => {}))).toBe(2)
    expect(page()).rejects.toThrow(new HistoryTooLargeError(feedId, 20_000))
    expect((await history.page(feedId, { limit: 50 }))?.items).toHaveLength(50)
  })
})

describe('another chain', () => {
  test('behavior: after a restart of a development chain, nothing of the one before is shown', async () => {
    const before = await createRegistryChain({ feeds: 1 })
    const after = await createRegistryChain({ feeds: 1, startMs: 1_600_000_000_000 })
    for (const [index, chain] of [before, after].entries())
      for (let value = 0; value < 3; value++) {
        chain.attest(id, { amount: BigInt(10 * index + value), period: 20_261_101 })
        await chain.advance()
      }
    for (const isListed of [true, false]) {
      const { client, answerWith } = localClient(before)
      const history = createHistory(client)
      if (isListed) await client.listReadings()
      expect((await history.page(id))?.items.map(({ amount }) => amount)).toEqual([0n, 0n, 1n, 2n])
      answerWith(after.answer)
      if (isListed) await client.listReadings()
      expect((await history.page(id))?.items.map(({ amount }) => amount)).toEqual([0n, 10n, 11n, 12n])
      expect((await history.page(id))?.items[0]?.attested_at).toBe(
        (await client.getValueAt(id, 0))?.timestamp ?? 0,
      )
    }
  })

  test('behavior: a node that lags shows fewer values, and forgets none', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const behind = await chain.advance()
    chain.attest(id, { amount: 7n })
    await chain.advance()
    const { client, answerWith } = localClient(chain)
    const history = createHistory(client)
    expect((await history.page(id))?.count).toBe(2)
    answerWith(chain.answerAsOf(behind))
    expect((await history.page(id))?.items).toHaveLength(1)
    answerWith(chain.answer)
    expect(history.status().values).toBe(2)
    expect((await history.page(id))?.items).toHaveLength(2)
  })
})

test('behavior: values are proven as readings are', async () => {
  await using world = await createVerifiedWorld({ nodes: 1 })
  for (const verify of ['proofs', 'full'] as const) {
    const client = world.client([0], { verify })
    const page = await createHistory(client).page(WTI)
    expect(page?.items).toEqual((await createHistory(world.client([0])).page(WTI))?.items ?? [])
    const reading = await client.getReading(WTI)
    expect(page?.items.at(-1)).toMatchObject({ amount: reading?.amount, value: reading?.value })
  }
})
