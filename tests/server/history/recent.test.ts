import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { recentBody } from '../../../src/api/schemas.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp, TestChainError } from '../testApp.ts'

const id = testFeedId(0)
const other = testFeedId(1)

/** Two feeds with a value of 20 Nov 2026; the first has more periods, attested in any order, with revisions. */
async function createChain() {
  const chain = await createRegistryChain({ feeds: 2 })
  for (const [period, amount] of [
    [20261123, 3n],
    [20261118, 1_500_000n],
    [20261120, 2n],
    [20261120, 2_500_000n],
    [20261123, 2n ** 60n],
  ] as const)
    chain.attest(id, { period, amount })
  chain.register('EMPTY')
  await chain.advance()
  return chain
}

const chain = await createChain()
const app = createTestApp({ client: localClient(chain).client })

const missing = (feed_id: string) => ({
  feed_id,
  status: 404,
  error: `feed not found on-chain: ${feed_id}`,
  retry_after_s: null,
})

const on = (day: string) => ({ period_start: day, period_end: day })

const items = [
  { period: 20261118, ...on('2026-11-18'), value: 1.5, amount: '1500000' },
  { period: 20261120, ...on('2026-11-20'), value: 2.5, amount: '2500000' },
  { period: 20261123, ...on('2026-11-23'), value: 1152921504606.847, amount: String(2n ** 60n) },
]

describe('GET /v1/recent', () => {
  test('default: the latest value of each period, by period, for each requested feed', async () => {
    const { status, body } = await answerOf(app, `/v1/recent?id=NOPE&id=${id}&id=EMPTY`)
    const shared = { status: 200, decimals: 6, unit: '$/unit', frequency: 'daily' }
    const [reading] = (await answerOf(app, `/v1/readings?id=${id}`)).body.results
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        count: 3,
        results: [
          missing('NOPE'),
          { feed_id: id, ...shared, count: 6, updated_at: reading.reading.updated_at, items },
          { ...body.results[2], feed_id: 'EMPTY', status: 200, count: 0, updated_at: null, items: [] },
        ],
      },
    })
    expect([...Value.Errors(recentBody, body)]).toEqual([])
  })

  test('default: it names the state root, and an unchanged answer is a 304', async () => {
    const { headers } = await ask(app, `/v1/recent?id=${id}`)
    expect(headers.get('x-casper-state-root')).toBe(chain.stateRootHash())
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } }
    expect((await ask(app, `/v1/recent?id=${id}`, again)).status).toBe(304)
  })

  test('behavior: `periods` selects the newest periods', async () => {
    const { body } = await answerOf(app, `/v1/recent?id=${id}&periods=2`)
    expect(body.results[0].items).toEqual(items.slice(1))
  })

  test('behavior: values are read once, a new value takes a few calls, and metadata is current', async () => {
    const growing = await createChain()
    const { client, calls } = localClient(growing)
    const growingApp = createTestApp({ client })
    const path = `/v1/recent?id=${id}&id=${other}`
    const valuesRead = async () => {
      calls.reset()
      const { body } = await answerOf(growingApp, path)
      return [calls.byMethod().state_get_dictionary_item ?? 0, body.results[0]]
    }
    await valuesRead()
    expect((await valuesRead())[0]).toBe(0)
    growing.attest(id, { period: 20261124, amount: 4n })
    await growing.advance()
    const [few, { items: longer }] = await valuesRead()
    // The readings, the number of values, the last known value and the new one: no value is read again.
    expect(few).toBeLessThan(10)
    expect(longer).toHaveLength(4)
    growing.register(id, { decimals: 0, unit: 'Bcf' })
    await growing.advance()
    const [, changed] = await valuesRead()
    expect([changed.decimals, changed.unit, changed.items[0].value]).toEqual([0, 'Bcf', 1_500_000])
  })

  test('behavior: a failed read is a result of its own, and the answer is not cached', async () => {
    const getReading = (feed_id: string) =>
      feed_id === 'BAD'
        ? Promise.reject(new TestChainError('decode'))
        : Promise.resolve(readingOf({ feed_id, decimals: feed_id === 'WRONG' ? 256 : 6 }))
    const readings = ['A', 'WRONG'].map((feed_id) => readingOf({ feed_id }))
    const failing = createTestApp({ client: createFakeClient({ readings, getReading }) })
    const response = await ask(failing, '/v1/recent?id=BAD&id=A&id=WRONG')
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect((await response.json()).results).toEqual([
      { feed_id: 'BAD', status: 502, error: 'the chain was not read: decode', retry_after_s: null },
      expect.objectContaining({ feed_id: 'A', status: 200 }),
      expect.objectContaining({ feed_id: 'WRONG', status: 502, error: expect.stringContaining('/decimals') }),
    ])
  })

  test.each([
    ['', 'id: required; pass it 1 to 100 times'],
    [`?${'id=A&'.repeat(101)}`, 'id=A: pass it at most 100 times'],
    ['?id=A&limit=5', 'unknown query parameter "limit"; allowed: id, periods'],
    ...['0', '121', '1.5', ''].map((periods) => [
      `?id=A&periods=${periods}`,
      `periods=${periods === '' ? '""' : periods}: it must be a whole number from 1 to 120`,
    ]),
  ])('error: %s', async (query, error) => {
    expect(await answerOf(app, `/v1/recent${query}`)).toEqual({ status: 400, body: { error } })
  })

  test('error: a defect is a 500', async () => {
    const getReading = () => Promise.reject(new TypeError('secret'))
    const broken = createTestApp({ client: createFakeClient({ getReading }) })
    expect((await answerOf(broken, '/v1/recent?id=A')).status).toBe(500)
  })
})

describe('long histories', () => {
  /** The first feed has 2,600 values, the others one. */
  async function createLongPast(feeds: number) {
    const long = createSyntheticChain({ feeds })
    for (let index = 1; index < 2_600; index++) long.attest(syntheticFeedId(0), { period: index })
    long.advance()
    const local = localClient(long)
    await local.client.listReadings()
    return local
  }

  const path = `/v1/recent?id=${syntheticFeedId(0)}&id=${syntheticFeedId(1)}`

  test('behavior: are read in the background; until then a 503 beside the other feeds', async () => {
    const { client } = await createLongPast(2)
    const long = createTestApp({ client })
    const response = await ask(long, path)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const [filling, short] = (await response.json()).results
    expect([filling.status, short.status, short.items.length]).toEqual([503, 200, 1])
    expect(filling.error).toContain('is being read: 0 of 2600 values so far')
    expect(filling.retry_after_s).toBeWithin(1, 31)
    for (let status = 503; status === 503; ) {
      const [found] = (await answerOf(long, path)).body.results
      status = found.status
      if (status === 200)
        expect(found.items.map(({ period }: { period: number }) => period).at(-2)).toBe(2_599)
    }
  })

  test('behavior: a request reads 1,000 values itself, counted over all feeds', async () => {
    const two = createSyntheticChain({ feeds: 2 })
    for (const feed of [0, 1])
      for (let index = 1; index < 600; index++) two.attest(syntheticFeedId(feed), { period: index })
    two.advance()
    const { client } = localClient(two)
    await client.listReadings()
    const { results } = (await answerOf(createTestApp({ client }), path)).body
    expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 503])
  })

  test('error: a history that does not fit into the memory is not read', async () => {
    const { client, calls } = await createLongPast(2)
    const small = createTestApp({ client, historyCacheMb: 0.25 })
    const [large, short] = (await answerOf(small, path)).body.results
    expect([large.status, large.retry_after_s, short.status]).toEqual([503, null, 503])
    expect(large.error).toContain('raise HISTORY_CACHE_MB')
    expect(calls.total()).toBeLessThan(50)
  })

  test('error: more of them than the server queues are a 429', async () => {
    const many = createSyntheticChain({ feeds: 20 })
    for (let feed = 0; feed < 20; feed++)
      for (let index = 1; index < 1_100; index++) many.attest(syntheticFeedId(feed), { period: index })
    many.advance()
    const { client } = localClient(many)
    await client.listReadings()
    const ids = Array.from({ length: 20 }, (_, feed) => `id=${syntheticFeedId(feed)}`).join('&')
    const { results } = (await answerOf(createTestApp({ client }), `/v1/recent?${ids}`)).body
    expect(results.map(({ status }: { status: number }) => status)).toEqual([
      ...Array.from({ length: 18 }, () => 503),
      429,
      429,
    ])
    expect(results.at(-1).retry_after_s).toBe(4)
  })
})
