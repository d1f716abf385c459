import { describe, expect, test } from 'bun:test'
import { startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { type Reading, readingToJson } from 'wattfeed'
import { clientOf } from 'wattfeed/testing/clientOf'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import expected from '../../../fixtures/chain/expected-readings.json' with { type: 'json' }
import { feedsBodyOf } from '../../../src/server/feeds/plugin.ts'
import { ChainDataError } from '../../../src/server/http/bodyCheck.ts'
import { createMetrics } from '../../../src/server/metrics.ts'
import { readingBodyOf } from '../../../src/server/readers/readingBody.ts'
import { createFakeClient, type FakeChain, readingOf, stateRootHash } from '../fakeClient.ts'
import { answerOf, ask, createTestApp, TestChainError } from '../testApp.ts'

const body = {
  feed_id: 'EIA.NG.PRICE.HENRYHUB.DAILY',
  decimals: 6,
  unit: '$/MMBtu',
  title: 'NG PRICE HENRYHUB DAILY',
  source: 'EIA',
  route: 'natural-gas/pri/fut',
  frequency: 'daily',
  description: 'Series series=RNGWHHD of natural-gas/pri/fut, column value',
  value: 3.04938,
  amount: '3049380',
  period: 20261120,
  source_hash: '88450b082ec4df2fdccd3a626c6e489b',
  updated_at: 1795168726426,
}

describe('GET /v1/feeds', () => {
  test('default: count and readings, in registry order', async () => {
    const readings = ['B', 'A', 'a'].map((feed_id) => readingOf({ feed_id }))
    const response = await ask(createTestApp({ client: createFakeClient({ readings }) }), '/v1/feeds')
    expect(await response.json()).toEqual({
      count: 3,
      feeds: ['B', 'A', 'a'].map((feed_id) => ({ ...body, feed_id })),
    })
  })

  test('behavior: no feeds are an empty list', async () => {
    const app = createTestApp({ client: createFakeClient({ readings: [] }) })
    expect(await answerOf(app, '/v1/feeds')).toEqual({ status: 200, body: { count: 0, feeds: [] } })
  })

  test('behavior: the recorded chain gives exactly the expected answer, key order included', async () => {
    const node = await startRecordedNode()
    try {
      const client = clientOf(node, [node.url])
      const response = await ask(createTestApp({ client }), '/v1/feeds')
      expect(JSON.stringify(await response.json())).toBe(JSON.stringify(expected))
    } finally {
      await node.stop()
    }
  })
})

describe('GET /v1/feeds/:id', () => {
  const app = createTestApp()
  const chainPaths = [
    '/v1/feeds',
    '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY',
    '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/provenance',
    '/v1/feeds.csv',
    '/v1/readings?id=EIA.NG.PRICE.HENRYHUB.DAILY',
  ]

  test('default: the reading, its fields in the order of the interface', async () => {
    const response = await ask(app, '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY')
    expect(await response.text()).toBe(JSON.stringify(body))
  })

  test('default: state root, version and ETag', async () => {
    for (const path of chainPaths) {
      const { headers } = await ask(app, path)
      expect([headers.get('x-casper-state-root'), headers.get('x-wattfeed-version')]).toEqual([
        stateRootHash,
        'f36.a1204',
      ])
      expect(headers.get('etag')).toMatch(/^"[0-9a-f]{16}"$/)
    }
  })

  test('behavior: If-None-Match with the ETag is a 304 without a body, with its headers', async () => {
    for (const path of chainPaths) {
      const { headers } = await ask(app, path)
      const etag = headers.get('etag') ?? ''
      const response = await ask(app, path, { headers: { 'if-none-match': `"x", W/${etag}` } })
      expect({
        status: response.status,
        body: await response.text(),
        etag: response.headers.get('etag'),
        root: response.headers.get('x-casper-state-root'),
        version: response.headers.get('x-wattfeed-version'),
      }).toEqual({ status: 304, body: '', etag, root: stateRootHash, version: 'f36.a1204' })
    }
  })

  test('behavior: If-None-Match with another ETag is a 200', async () => {
    const response = await ask(app, '/v1/feeds', { headers: { 'if-none-match': `"${'0'.repeat(16)}"` } })
    expect(response.status).toBe(200)
  })

  test('behavior: the ETag of an answer only changes with its content', async () => {
    const etagsOf = async (readings: Reading[]): Promise<(string | null)[]> => {
      const other = createTestApp({ client: createFakeClient({ readings }) })
      const paths = ['/v1/feeds/A', '/v1/feeds/B', '/v1/feeds', '/v1/feeds.csv', '/v1/readings?id=A']
      return Promise.all(paths.map(async (path) => (await ask(other, path)).headers.get('etag')))
    }
    const [a, b] = [readingOf({ feed_id: 'A' }), readingOf({ feed_id: 'B' })]
    const before = await etagsOf([a, b])
    expect(await etagsOf([{ ...a }, { ...b }])).toEqual(before)
    const after = await etagsOf([{ ...a }, { ...b, period: b.period + 1 }])
    expect(after.map((etag, index) => etag === before[index])).toEqual([true, false, false, false, true])
  })

  test('default: the library’s JSON of a reading is the body, byte for byte', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { client } = localClient(chain)
    const reading = await client.getReading(testFeedId(0))
    if (reading === null) throw new Error('the chain has no reading')
    const response = await ask(createTestApp({ client }), `/v1/feeds/${testFeedId(0)}`)
    expect(JSON.stringify(readingToJson(reading))).toBe(await response.text())
  })

  test('behavior: the version needs no call if the feeds are followed, otherwise two per state root', async () => {
    const chain = await createRegistryChain({ feeds: 3 })
    const { client, calls } = localClient(chain)
    const chainApp = createTestApp({ client })
    const get = async () => {
      calls.reset()
      const { headers } = await ask(chainApp, `/v1/feeds/${testFeedId(0)}`)
      return [calls.total(), headers.get('x-wattfeed-version')]
    }
    const move = () => {
      chain.attest(testFeedId(1), { amount: 7n })
      return chain.advance()
    }
    await get()
    expect(await get()).toEqual([1, 'f3.a3'])
    await move()
    expect(await get()).toEqual([1 + 2 + 2, 'f3.a4'])
    await client.listReadings()
    await move()
    expect(await get()).toEqual([1 + 3 + 2, 'f3.a5'])
    expect(await get()).toEqual([1, 'f3.a5'])
  })

  test('behavior: a version that cannot be read fails no answer', async () => {
    const getLogLengths = () => Promise.reject(new TestChainError('decode'))
    const response = await ask(createTestApp({ client: createFakeClient({ getLogLengths }) }), '/v1/feeds')
    expect([response.status, response.headers.get('x-wattfeed-version')]).toEqual([200, null])
  })

  for (const [path, feedId] of [
    ['a%2Fb', 'a/b'],
    ['a%3Fb%23c%25d', 'a?b#c%d'],
    ['a%20b+c', 'a b+c'],
    ['%C3%A9', 'é'],
    ['é', 'é'],
    ['%F0%9F%98%80', '😀'],
    ['a%00b', 'a\0b'],
    ['%22%5C%0A', '"\\\n'],
    ['%252F', '%2F'],
    ['a%2F..%2Fb', 'a/../b'],
    ['%2F', '/'],
    ['a%2F', 'a/'],
    ['EIA.X?q=%zz', 'EIA.X'],
    ['EIA.X/', 'EIA.X'],
  ] as const)
    test(`behavior: /v1/feeds/${path} asks for ${JSON.stringify(feedId)}`, async () => {
      const reading = readingOf({ feed_id: feedId })
      const client = createFakeClient({ readings: [reading] })
      expect(await answerOf(createTestApp({ client }), `/v1/feeds/${path}`)).toEqual({
        status: 200,
        body: { ...body, feed_id: feedId },
      })
    })

  test('behavior: ids are case-sensitive', async () => {
    expect((await ask(app, '/v1/feeds/eia.ng.price.henryhub.daily')).status).toBe(404)
  })

  test('error: an id without a reading is a 404 that names it decoded, with the state root', async () => {
    const response = await ask(app, '/v1/feeds/a%2Fb%20%F0%9F%98%80')
    expect(response.status).toBe(404)
    expect(response.headers.get('x-casper-state-root')).toBe(stateRootHash)
    expect(response.headers.get('x-wattfeed-version')).toBe('f36.a1204')
    expect(response.headers.get('etag')).toBeNull()
    expect(await response.json()).toEqual({
      error: 'feed not found on-chain: a/b 😀',
    })
  })

  test('error: an id without a reading is a 404 for any If-None-Match', async () => {
    expect((await ask(app, '/v1/feeds/nope', { headers: { 'if-none-match': '*' } })).status).toBe(404)
  })

  test('behavior: a malformed id is rejected before the chain is read', async () => {
    let asked = 0
    const client = createFakeClient({
      snapshot: async () => {
        asked++
      },
    })
    expect((await ask(createTestApp({ client }), '/v1/feeds/%ff')).status).toBe(400)
    expect(asked).toBe(0)
  })
})

describe('one state root', () => {
  const path = '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY'

  /** A server whose client counts its reads, at a root that the test changes. */
  function countedApp(chain: FakeChain = {}) {
    const reads = { readings: 0, roots: 0 }
    const state = { root: stateRootHash, reading: readingOf() as Reading | null }
    const client = createFakeClient({
      stateRootHash: () => state.root,
      snapshot: async () => {
        reads.roots++
      },
      getReading: async () => {
        reads.readings++
        return state.reading
      },
      ...chain,
    })
    const metrics = createMetrics()
    const app = createTestApp({ client, metrics })
    return { reads, state, metrics, get: (init?: RequestInit) => ask(app, path, init) }
  }

  test('default: the same answer while nothing changes, and a 304 to its ETag', async () => {
    const { reads, get } = countedApp()
    const [first, second] = [await get(), await get()]
    expect([await second.text(), second.headers.toJSON()]).toEqual([
      await first.text(),
      first.headers.toJSON(),
    ])
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    expect((await get({ headers })).status).toBe(304)
    expect(reads.roots).toBe(3)
  })

  test('behavior: the next root is read again', async () => {
    const { reads, state, get } = countedApp()
    await get()
    state.root = 'ab'.repeat(32)
    state.reading = readingOf({ period: 20261121 })
    const response = await get()
    expect(await response.json()).toMatchObject({ period: 20261121 })
    expect(response.headers.get('x-casper-state-root')).toBe(state.root)
    expect(reads.readings).toBe(2)
  })

  test('behavior: an absent value is read again, because a node may have hidden it', async () => {
    const { state, get } = countedApp()
    state.reading = null
    expect((await get()).status).toBe(404)
    state.reading = readingOf()
    expect((await get()).status).toBe(200)
  })

  test('behavior: a version that could not be read is read again', async () => {
    let isBroken = true
    const getLogLengths = async () => {
      if (isBroken) throw new TestChainError('decode')
      return 'f36.a1204'
    }
    const { get } = countedApp({ getLogLengths })
    expect((await get()).headers.get('x-wattfeed-version')).toBeNull()
    isBroken = false
    expect((await get()).headers.get('x-wattfeed-version')).toBe('f36.a1204')
  })
})

describe('readingBodyOf', () => {
  test('default: amount is the exact decimal text', () => {
    const amount = 2n ** 512n - 1n
    const body = readingBodyOf(readingOf({ amount, decimals: 255 }))
    expect(body.amount).toBe(amount.toString())
  })

  test('behavior: fields that are not of the interface stay out', () => {
    const reading = { ...readingOf(), attester: 'account-hash-00' }
    expect(Object.keys(readingBodyOf(reading))).not.toContain('attester')
  })

  test('behavior: made once per object', () => {
    let reads = 0
    const reading = {
      ...readingOf(),
      get title() {
        reads++
        return 'a title'
      },
    }
    readingBodyOf(reading)
    readingBodyOf(reading)
    feedsBodyOf([reading])
    expect(reads).toBe(1)
  })

  for (const [field, value] of [
    ['value', Number.POSITIVE_INFINITY],
    ['decimals', 256],
    ['decimals', 1.5],
    ['amount', -1n],
    ['period', -1],
    ['title', undefined],
    ['updated_at', '1'],
  ] as const)
    test(`error: ${field} ${value} does not fit the schema`, () => {
      const reading = readingOf({ [field]: value as never })
      expect(() => readingBodyOf(reading)).toThrow(ChainDataError)
      expect(() => readingBodyOf(reading)).toThrow(
        `the reading of feed "${reading.feed_id}" does not match its schema at /${field}`,
      )
    })
})

describe('feedsBodyOf', () => {
  test('default: the readings and their count', () => {
    const readings = [readingOf({ feed_id: 'A' }), readingOf({ feed_id: '"\\\n\u2028é😀\0' })]
    expect(feedsBodyOf(readings)).toEqual({ count: 2, feeds: readings.map(readingBodyOf) })
  })

  test('behavior: the same body for the same array, another for another', () => {
    const readings = [readingOf()]
    expect(feedsBodyOf(readings)).toBe(feedsBodyOf(readings))
    expect(feedsBodyOf([...readings])).not.toBe(feedsBodyOf(readings))
  })
})
