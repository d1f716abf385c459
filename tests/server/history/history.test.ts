import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { proofOf, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp, createTestLog } from '../testApp.ts'

const id = testFeedId(0)
const START = 1_700_000_000_000

/** Four values in two blocks: a period out of order, one that is not a day, one revision. */
async function createChain(startMs = START) {
  const chain = await createRegistryChain({ feeds: 1, startMs })
  chain.attest(id, { period: 20_261_118, amount: 2_500_000n })
  chain.attest(id, { period: 99, amount: 1n, source_hash: '=1+1' })
  await chain.advance()
  chain.attest(id, { period: 20_261_120, amount: 7n })
  await chain.advance()
  return chain
}

const chain = await createChain()
const { client } = localClient(chain)
const stored = await client.getValueHistory(id)
const app = createTestApp({ client })
const path = `/v1/feeds/${id}/history`
const get = (query = '') => answerOf(app, `${path}${query}`)

const item = (index: number, fields: object) => ({
  index,
  ...fields,
  source_hash: stored[index]?.source_hash,
  attester: stored[index]?.attester,
  attested_at: stored[index]?.timestamp,
})

const items = [
  item(0, {
    period: 20261120,
    period_start: '2026-11-20',
    period_end: '2026-11-20',
    value: 0,
    amount: '0',
    revision: 0,
  }),
  item(1, {
    period: 20261118,
    period_start: '2026-11-18',
    period_end: '2026-11-18',
    value: 2.5,
    amount: '2500000',
    revision: 0,
  }),
  item(2, { period: 99, period_start: null, period_end: null, value: 0.000001, amount: '1', revision: 0 }),
  item(3, {
    period: 20261120,
    period_start: '2026-11-20',
    period_end: '2026-11-20',
    value: 0.000007,
    amount: '7',
    revision: 1,
  }),
]

describe('GET /v1/feeds/:id/history', () => {
  test('default: every value in the order of attestation, with the address that pins them', async () => {
    const response = await ask(app, path)
    const text = await response.text()
    const pinned = JSON.stringify({ feed_id: id, decimals: 6, items })
    const pin = new Bun.CryptoHasher('sha256').update(pinned).digest('hex').slice(0, 16)
    const body = { feed_id: id, decimals: 6, unit: '$/unit', frequency: 'daily', count: 4, items, next: null }
    expect(text).toBe(JSON.stringify({ ...body, permalink: `${path}?from=0&to=4&pin=${pin}` }))
    expect([response.status, response.headers.get('x-casper-state-root')]).toEqual([
      200,
      chain.stateRootHash(),
    ])
    expect(await (await ask(app, `${path}?from=0&to=4&pin=${pin}`)).text()).toBe(pinned)
  })

  test.each([
    ['?from=1&to=3', [1, 2], null],
    ['?limit=3', [0, 1, 2], '?after=2&limit=3'],
    ['?after=2&limit=3', [3], null],
    ['?order=desc&limit=2', [3, 2], '?after=2&limit=2&order=desc'],
    ['?period_from=20261119&limit=1', [0], '?after=0&limit=1&period_from=20261119'],
    ['?period_from=2026-11-19&limit=1', [0], '?after=0&limit=1&period_from=2026-11-19'],
    ['?period_from=2026-11-18&period_to=20261119', [1], null],
    ['?vintages=first', [2, 1, 0], null],
    ['?vintages=latest&limit=2', [2, 1], '?to=4&after=20261118&limit=2&vintages=latest'],
    ['?to=4&after=20261118&limit=2&vintages=latest', [3], null],
    ['?vintages=latest&order=desc&period_to=20261118', [1, 2], null],
    [`?as_of=${stored[0]?.timestamp}`, [0], null],
    [`?as_of=${new Date(stored[2]?.timestamp ?? 0).toISOString()}`, [2, 1, 0], null],
    ['?as_of=2023-11-14', [2, 1, 3], null],
    ['?as_of=2023-11-13', [], null],
    ['?as_of=2099-01-01&vintages=first&to=3', [2, 1, 0], null],
    ['?from=4', [], null],
    ['?from=900', [], null],
  ])('behavior: %s', async (query, indices, next) => {
    const { status, body } = await get(query)
    expect([status, body.items]).toEqual([200, indices.map((index) => items[index])])
    expect(body.next).toBe(next === null ? null : `${path}${next}`)
    const pinned = await answerOf(app, body.permalink)
    expect(pinned).toEqual({ status: 200, body: { feed_id: id, decimals: 6, items: body.items } })
  })

  test('behavior: a pinned URL is cached forever, any other is revalidated', async () => {
    const { permalink } = (await get('?limit=2')).body
    const pinned = await ask(app, permalink)
    expect(pinned.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const page = await ask(app, path)
    expect(page.headers.get('cache-control') ?? '').not.toContain('immutable')
    for (const [address, { headers }] of [
      [permalink, pinned],
      [path, page],
    ] as const) {
      const again = await ask(app, address, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
  })

  test('behavior: an id may contain any character, even in URLs', async () => {
    const odd = await createRegistryChain()
    const feedId = '=a/b?c#é "x"'
    odd.register(feedId)
    await odd.advance()
    odd.attest(feedId)
    odd.attest(feedId, { amount: 2n })
    await odd.advance()
    const oddApp = createTestApp({ client: localClient(odd).client })
    const { body } = await answerOf(oddApp, `/v1/feeds/${encodeURIComponent(feedId)}/history?limit=1`)
    expect(body).toMatchObject({ feed_id: feedId, count: 2, items: [{ index: 0 }] })
    expect((await answerOf(oddApp, body.next)).body.items).toMatchObject([{ index: 1 }])
    expect((await answerOf(oddApp, body.permalink)).body.items).toEqual(body.items)
  })

  test('behavior: a registered feed without a value is a 200, an unknown one a 404', async () => {
    const empty = await createRegistryChain()
    empty.register('EMPTY')
    await empty.advance()
    const emptyApp = createTestApp({ client: localClient(empty).client })
    const { status, body } = await answerOf(emptyApp, '/v1/feeds/EMPTY/history')
    expect([status, body.count, body.items, body.next]).toEqual([200, 0, [], null])
    expect((await answerOf(emptyApp, body.permalink)).status).toBe(200)
    expect((await answerOf(emptyApp, '/v1/feeds/NOPE/history')).status).toBe(404)
  })

  test('behavior: a new value is shown at once, and a pinned page stays', async () => {
    const growing = await createChain()
    const { client } = localClient(growing)
    await client.listReadings()
    const growingApp = createTestApp({ client })
    const { permalink } = (await answerOf(growingApp, path)).body
    const pinned = await answerOf(growingApp, permalink)
    growing.attest(id, { period: 20_261_121 })
    await growing.advance()
    expect((await answerOf(growingApp, path)).body).toMatchObject({ count: 5, items: { length: 5 } })
    expect((await answerOf(growingApp, `${path}?from=0&to=4`)).body).toMatchObject({ count: 5, permalink })
    expect(await answerOf(growingApp, permalink)).toEqual(pinned)
  })

  test('error: a pin of other values, of too many, and after new decimals', async () => {
    const revised = await createChain()
    const revisedApp = createTestApp({ client: localClient(revised).client })
    const { permalink } = (await answerOf(revisedApp, path)).body
    expect(await answerOf(revisedApp, permalink.replace(/.{4}$/, '0000'))).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('the values have the digest') },
    })
    expect(await answerOf(revisedApp, permalink.replace('to=4', 'to=5'))).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('it has 4 values, but to is 5') },
    })
    revised.register(id, { decimals: 7 })
    await revised.advance()
    expect((await answerOf(revisedApp, permalink)).status).toBe(409)
  })

  test('error: a pin of a development chain before its restart', async () => {
    const { client, answerWith } = localClient(chain)
    await client.listReadings()
    const restarted = createTestApp({ client })
    const { permalink } = (await answerOf(restarted, path)).body
    expect((await answerOf(restarted, permalink)).status).toBe(200)
    answerWith((await createChain(START + 3_600_000)).answer)
    expect((await answerOf(restarted, permalink)).status).toBe(409)
    expect((await answerOf(restarted, path)).body.items[0].attested_at).toBeGreaterThan(
      stored[0]?.timestamp ?? 0,
    )
  })

  test.each([
    ['nope=1', 'nope', ''],
    ['limit=1&limit=2', 'limit', '2'],
    ['limit=0', 'limit', '0'],
    ['limit=1001', 'limit', '1001'],
    ['limit=', 'limit', '""'],
    ['limit=1e2', 'limit', '1e2'],
    ['from=-1', 'from', '-1'],
    ['to=x', 'to', 'x'],
    ['after=1.5', 'after', '1.5'],
    ['order=up', 'order', 'up'],
    ['period_from=99999999999999999999', 'period_from', '99999999999999999999'],
    ['period_from=2&period_to=1', 'period_from', '2'],
    ['period_from=2026-02-30', 'period_from', '2026-02-30'],
    ['period_to=2026-11-20T00:00Z', 'period_to', '2026-11-20T00:00Z'],
    ['from=2&to=1', 'from', '2'],
    ['as_of=2026-02-30', 'as_of', '2026-02-30'],
    ['as_of=2026-11-20T15:00:00', 'as_of', '2026-11-20T15:00:00'],
    ['as_of=2026-11-20&vintages=all', 'vintages', 'all'],
    ['as_of=2026-11-20&from=2', 'from', '2'],
    ['as_of=1700000000', 'as_of', '1700000000'],
    ['as_of=20261120', 'as_of', '20261120'],
    ['as_of=1700000000000000', 'as_of', '1700000000000000'],
    ['vintages=latest&from=2', 'from', '2'],
    ['vintages=some', 'vintages', 'some'],
    ['pin=12&to=1', 'pin', '12'],
    ['pin=0123456789abcdef', 'to', '0123456789abcdef'],
    ['limit=%zz', '', '%zz'],
  ])(
    'error: ?%s is a 400 that names parameter and value, before any call',
    async (query, parameter, value) => {
      const local = localClient(chain)
      const { status, body } = await answerOf(createTestApp({ client: local.client }), `${path}?${query}`)
      expect([status, local.calls.total()]).toEqual([400, 0])
      expect(body.error).toContain(parameter)
      expect(body.error).toContain(value)
    },
  )

  test.each([
    [
      'period_from=1795824000',
      'period_from must be YYYYMMDD (8 digits), not 1795824000, because the feed is daily',
    ],
    ['period_to=2026', 'period_to must be YYYYMMDD (8 digits), not 2026, because the feed is daily'],
    ['period_to=202611&period_from=2026-11-18', 'period_to must be YYYYMMDD (8 digits), not 202611, because'],
    ['period_from=0', 'period_from must be YYYYMMDD (8 digits), not 0, because the feed is daily'],
  ])('error: ?%s is of another scale than days, in every form', async (query, message) => {
    for (const form of [
      '/history',
      '/history.csv',
      '/history.parquet',
      '/history.csv-metadata.json',
      '/chart.svg',
    ])
      expect([form, await answerOf(app, `/v1/feeds/${id}${form}?${query}`)]).toEqual([
        form,
        { status: 400, body: { error: expect.stringContaining(message) } },
      ])
    for (const form of ['csv', 'parquet'])
      expect((await ask(app, `/v1/history.${form}?id=${id}&${query}`)).status).toBe(400)
  })

  test('behavior: a row continues after any period that the feed has, and others of the scale', async () => {
    const periodsAfter = async (after: number) => {
      const { status, body } = await get(`?vintages=latest&after=${after}`)
      return [status, body.items?.map(({ period }: { period: number }) => period) ?? body.error]
    }
    expect(await periodsAfter(99)).toEqual([200, [20261118, 20261120]])
    expect(await periodsAfter(20261119)).toEqual([200, [20261120]])
    expect(await periodsAfter(98)).toEqual([
      400,
      'after must be YYYYMMDD (8 digits), not 98, because the feed is daily',
    ])
  })

  test('behavior: any parameters give an answer or a reason', async () => {
    const getFeedProof: typeof client.getFeedProof = async (_, { index } = {}) =>
      (index ?? 0) < items.length ? proofOf(readingOf()) : null
    const fuzzed = createTestApp({ client: { ...client, getFeedProof } })
    const text = fc.oneof(
      fc.nat(9).map(String),
      fc.constantFrom('asc', 'desc', 'all', 'first', 'latest', '2023-11-14', '', '-1', '20261120', '%zz'),
      fc.bigInt(0n, 2n ** 65n).map(String),
      fc.string().map(encodeURIComponent),
    )
    const names = ['from', 'to', 'after', 'limit', 'order', 'period_from', 'period_to', 'as_of', 'vintages']
    const name = fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...names, 'pin') },
      fc.constantFrom('x', '%'),
    )
    const good = fc.record(
      {
        from: fc.nat(6),
        to: fc.nat(6),
        after: fc.nat(6),
        limit: fc.integer({ min: 1, max: 5 }),
        order: fc.constantFrom('asc', 'desc'),
        vintages: fc.constantFrom('all', 'first', 'latest'),
        as_of: fc.integer({ min: START, max: START + 30_000 }),
        pin: fc.constant('0123456789abcdef'),
      },
      { requiredKeys: [] },
    )
    const queries = fc.oneof(
      fc
        .array(fc.tuple(name, text), { maxLength: 5 })
        .map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
      good.map((pairs) =>
        Object.entries(pairs)
          .map((pair) => pair.join('='))
          .join('&'),
      ),
    )
    const proofs = text.map((index) => `/${index}/proof`)
    const forms = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('', '.csv', '.csv-metadata.json') },
      { weight: 1, arbitrary: fc.oneof(fc.constant('.parquet'), proofs) },
    )
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(forms, queries, async (form, query) => {
        const response = await ask(fuzzed, `${path}${form}?${query}`)
        const { status } = response
        seen.add(status)
        if (status === 200) return
        expect([form, query, (await response.json()).error]).toEqual([
          form,
          query,
          expect.stringMatching(/.{10}/),
        ])
      }),
      { numRuns: 1_500 },
    )
    expect([...seen].toSorted()).toEqual([200, 400, 404, 409])
  })
})

describe('a long history', () => {
  /** Feeds with so many values that a request does not read them all. */
  async function createLongPast(feeds: number) {
    const long = createSyntheticChain({ feeds })
    for (let feed = 0; feed < feeds; feed++)
      for (let index = 1; index < 2_600; index++) long.attest(syntheticFeedId(feed), { period: index })
    long.advance()
    const local = localClient(long)
    await local.client.listReadings()
    const { log, lines } = createTestLog()
    return { ...local, log, lines }
  }

  const newest = (feed: number) => `/v1/feeds/${syntheticFeedId(feed)}/history?order=desc&limit=2`

  test('behavior: is read in the background; until then 503 with how far it is, and then a 200', async () => {
    const { client, log, lines } = await createLongPast(1)
    const long = createTestApp({ client, log })
    const first = await ask(long, newest(0))
    expect([first.status, Number(first.headers.get('retry-after'))]).toEqual([503, expect.any(Number)])
    expect(Number(first.headers.get('retry-after'))).toBeWithin(1, 31)
    expect((await first.json()).error).toBe(
      'the history of SYNTHETIC.0 is being read: 0 of 2600 values so far; retry later',
    )
    const shown = new Set<string>()
    for (let status = 503; status === 503; ) {
      const answer = await answerOf(long, newest(0))
      status = answer.status
      shown.add(answer.body.error ?? answer.body.items.map(({ index }: { index: number }) => index).join())
    }
    expect([...shown].at(-1)).toBe('2599,2598')
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
    // The chain itself has no fault.
    expect(lines.find(({ level }) => level === 'warn')).toEqual({
      level: 'warn',
      fields: { err: { code: 'history_filling', message: expect.stringContaining('is being read') } },
      message: 'request answered with 503',
    })
  })

  test('behavior: the first pages do not wait for it', async () => {
    const { client } = await createLongPast(1)
    const long = createTestApp({ client })
    const { status, body } = await answerOf(long, `/v1/feeds/${syntheticFeedId(0)}/history?limit=1000`)
    expect([status, body.items.length, body.count]).toEqual([200, 1_000, 2_600])
  })

  test('error: a history that does not fit into the memory is rejected without reading it', async () => {
    const { client, calls } = await createLongPast(1)
    const small = createTestApp({ client, historyCacheMb: 0.25 })
    expect(await answerOf(small, newest(0))).toEqual({
      status: 503,
      body: { error: expect.stringContaining('SYNTHETIC.0 does not fit into 0 MB; raise HISTORY_CACHE_MB') },
    })
    expect(calls.total()).toBeLessThan(50)
    expect((await answerOf(small, `/v1/feeds/${syntheticFeedId(0)}/history`)).body.items).toHaveLength(100)
  })
})

describe('the cache of answers', () => {
  const first = `/v1/feeds/${syntheticFeedId(0)}/history`

  async function createSmall({ feeds, values }: { feeds: number; values: number }) {
    const small = createSyntheticChain({ feeds })
    for (let feed = 0; feed < feeds; feed++)
      for (let index = 1; index < values; index++) small.attest(syntheticFeedId(feed), { period: index })
    small.advance()
    const { client } = localClient(small)
    await client.listReadings()
    const log = { info() {}, warn() {}, error() {} }
    // Holds one feed of 900 values.
    return createTestApp({ client, log, historyCacheMb: 0.25 })
  }

  test('behavior: a short answer counts with its overhead, and equal requests share one', async () => {
    const small = await createSmall({ feeds: 1, values: 2 })
    const bytes = async () => {
      const text = await (await ask(small, '/metrics')).text()
      return Number(/^wattfeed_history_bytes (\d+)$/m.exec(text)?.[1])
    }
    await ask(small, `${first}.csv`)
    const before = await bytes()
    await ask(small, `${first}.csv?limit=1`)
    const after = await bytes()
    expect(after - before).toBeGreaterThan(2_000)
    const { headers } = await ask(small, `${first}.csv?limit=1&`)
    expect(headers.get('link')).toContain('?limit=1&>')
    await ask(small, `${first}.csv?${'&'.repeat(6_000)}limit=01`)
    expect(await bytes()).toBe(after)
  })

  test('behavior: the values of a feed that is forgotten do not stay because of an answer', async () => {
    const small = await createSmall({ feeds: 4, values: 900 })
    const countObjects = () => {
      Bun.gc(true)
      return heapStats().objectCount
    }
    const round = async (from: number) => {
      for (let feed = 0; feed < 4; feed++) {
        const query = `vintages=latest&limit=1&period_from=${20_261_000 + from}`
        expect((await ask(small, `/v1/feeds/${syntheticFeedId(feed)}/history?${query}`)).status).toBe(200)
      }
    }
    await round(1)
    const before = countObjects()
    for (let from = 2; from < 4; from++) await round(from)
    expect(countObjects() - before).toBeLessThan(10_000)
  })
})
