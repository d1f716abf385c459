import { describe, expect, test } from 'bun:test'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { statusOf } from '../../../src/feeds/status/feedStatus.ts'
import { createMetrics } from '../../../src/server/metrics.ts'
import { nextLook } from '../../support/nextLook.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { ask, createTestApp, TestChainError } from '../testApp.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const id = 'EIA/GAS 1'

const chain = await createRegistryChain({ feeds: 2 })
chain.register(id, { route: 'natural-gas/stor/wkly', frequency: 'weekly' })
chain.attest(id, { amount: 1n, period: 20_261_113 })
await chain.advance()
const { client } = localClient(chain)
const app = createTestApp({ client, now: () => NOW })

const statesOf = async (path: string, of = app) => {
  const { feeds } = await (await ask(of, path)).json()
  return feeds.map(({ state }: { state: string }) => state)
}

describe('GET /v1/status', () => {
  test('default: every feed of /v1/feeds, in its order, of one state root', async () => {
    const [response, list] = await Promise.all([ask(app, '/v1/status'), ask(app, '/v1/feeds')])
    const { count, feeds } = await response.json()
    const { feeds: readings } = await list.json()
    expect([response.status, count]).toEqual([200, readings.length])
    expect(feeds).toEqual(
      readings.map((reading: Parameters<typeof statusOf>[0]) => ({ ...statusOf(reading)(NOW), gaps: null })),
    )
    expect(response.headers.get('x-casper-state-root')).toBe(chain.stateRootHash())
  })

  test('behavior: it names the protocol version of the network, null while no node does', async () => {
    const versionOf = async (of: typeof app) => (await (await ask(of, '/v1/status')).json()).protocol_version
    const unknown = createFakeClient()
    const status = () => ({ ...unknown.status(), protocolVersion: '2.2.2' })
    expect(await versionOf(createTestApp({ client: createFakeClient({ status }) }))).toBe('2.2.2')
    expect(await versionOf(createTestApp({ client: unknown }))).toBeNull()
    expect(await versionOf(app)).toBe(client.status().protocolVersion)
  })

  test('behavior: no ETag and no caching, because the status changes with time', async () => {
    let now = NOW
    const moving = createTestApp({ client, now: () => now, cacheMaxAgeS: 60 })
    const { headers } = await ask(moving, '/v1/status')
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'no-store'])
    const before = await statesOf('/v1/status', moving)
    now = Date.parse('2026-11-25T17:00:00Z')
    expect([before.at(-1), (await statesOf('/v1/status', moving)).at(-1)]).toEqual(['current', 'due'])
  })

  test('behavior: compressed like other answers, even without an ETag', async () => {
    const response = await ask(app, '/v1/status', { headers: { 'accept-encoding': 'gzip' } })
    const headers = ['content-encoding', 'vary', 'etag', 'cache-control'].map((name) =>
      response.headers.get(name),
    )
    expect(headers).toEqual(['gzip', 'Accept-Encoding', null, 'no-store'])
    const text = new TextDecoder().decode(Bun.gunzipSync(await response.bytes()))
    expect(JSON.parse(text).count).toBe(3)
  })

  test('behavior: hostile feeds are unknown, and all others are listed', async () => {
    const readings = [
      readingOf({ feed_id: 'A', period: 2 ** 53 }),
      readingOf({ feed_id: 'B', frequency: '\u0000' }),
      readingOf({ feed_id: 'C', frequency: 'constructor' }),
      readingOf({ feed_id: 'D', period: 0, route: '*' }),
      readingOf({ feed_id: 'E' }),
    ]
    const hostile = createTestApp({ client: createFakeClient({ readings }), now: () => NOW })
    expect(await statesOf('/v1/status', hostile)).toEqual([...Array(4).fill('unknown'), 'current'])
  })

  test('error: a query is rejected', async () => {
    expect((await ask(app, '/v1/status?state=late')).status).toBe(400)
  })
})

describe('GET /v1/feeds/:id/status', () => {
  const path = `/v1/feeds/${encodeURIComponent(id)}/status`

  test('default: one of them', async () => {
    const { feeds } = await (await ask(app, '/v1/status')).json()
    const response = await ask(app, path)
    expect(await response.json()).toEqual({ ...feeds.at(-1), gaps: [] })
    expect([response.status, response.headers.get('etag')]).toEqual([200, null])
    expect(response.headers.get('x-wattfeed-version')).not.toBeNull()
  })

  test('behavior: the periods that the chain lacks, read in the background for the list', async () => {
    const gappy = await createRegistryChain({ feeds: 2 })
    gappy.register(id, { route: 'natural-gas/stor/wkly', frequency: 'weekly' })
    for (const period of [20_261_016, 20_261_023, 20_261_113]) gappy.attest(id, { amount: 1n, period })
    await gappy.advance()
    const reader = localClient(gappy)
    let now = NOW
    // The list of a second is formatted once.
    const tick = () => {
      now += 1_000
      return now
    }
    const server = createTestApp({ client: reader.client, now: tick })
    const gapsOf = async () => (await (await ask(server, '/v1/status')).json()).feeds.at(-1).gaps
    const first = await gapsOf()
    expect([first, (await (await ask(server, path)).json()).gaps]).toEqual([null, [20_261_030, 20_261_106]])
    while ((await gapsOf()) === null) await nextLook()
    for (const period of [20_261_030, 20_261_113]) gappy.attest(id, { amount: 1n, period })
    await gappy.advance()
    expect((await (await ask(server, path)).json()).gaps).toEqual([20_261_106])
    expect(await gapsOf()).toEqual([20_261_106])
  })

  test('behavior: the periods that the chain lacks behind many values that repeat the newest one', async () => {
    const repeating = await createRegistryChain({ feeds: 1 })
    repeating.register(id, { route: 'natural-gas/stor/wkly', frequency: 'weekly' })
    for (const period of [20_261_016, ...Array<number>(70).fill(20_261_106)]) {
      repeating.attest(id, { amount: 1n, period })
      await repeating.advance()
    }
    const server = createTestApp({ client: localClient(repeating).client, now: () => NOW })
    expect((await (await ask(server, path)).json()).gaps).toEqual([20_261_023, 20_261_030])
  })

  test('behavior: null if the history cannot be read', async () => {
    const getValueHistory = () => Promise.reject(new TestChainError('decode'))
    const fake = createTestApp({ client: createFakeClient({ getValueHistory }), now: () => NOW })
    const { gaps, state } = await (await ask(fake, `/v1/feeds/${readingOf().feed_id}/status`)).json()
    expect([gaps, state]).toEqual([null, 'current'])
  })

  test('error: 404 for a feed that does not exist, or has no value', async () => {
    chain.register('EMPTY', {})
    await chain.advance()
    const statuses = [`${path.slice(0, -7)}X/status`, '/v1/feeds/EMPTY/status'].map((each) => ask(app, each))
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([404, 404])
  })
})

describe('/metrics', () => {
  const gauges = async (of: typeof app) =>
    ((await (await ask(of, '/metrics')).text()).match(/^wattfeed_feed_states\{.*$/gm) ?? []).join('\n')

  test('default: feeds by state in the last list; a scrape starts the next read', async () => {
    const client = createFakeClient({ readings: [readingOf(), readingOf({ feed_id: 'B', period: 1 })] })
    const scraped = createTestApp({ client, now: () => NOW })
    expect(await gauges(scraped)).toBe('')
    await new Promise(setImmediate)
    expect(await gauges(scraped)).toBe(
      ['current 1', 'due 0', 'late 0', 'stale 0', 'unknown 1']
        .map((each) => `wattfeed_feed_states{state="${each.replace(' ', '"} ')}`)
        .join('\n'),
    )
  })

  test('behavior: a node that fails leaves the last ones', async () => {
    let isDown = false
    const client = createFakeClient({
      snapshot: async () => {
        if (isDown) throw new TestChainError('all_nodes_failed')
      },
    })
    const scraped = createTestApp({ client, metrics: createMetrics(), now: () => NOW })
    await gauges(scraped)
    await new Promise(setImmediate)
    isDown = true
    await gauges(scraped)
    await new Promise(setImmediate)
    expect(await gauges(scraped)).toContain('wattfeed_feed_states{state="current"} 1')
  })
})

test('behavior: /ready and /health do not depend on it', async () => {
  const readings = [readingOf({ period: 19_990_104 })]
  const stale = createTestApp({ client: createFakeClient({ readings }) })
  expect(await statesOf('/v1/status', stale)).toEqual(['stale'])
  const answers = await Promise.all(['/ready', '/health'].map((path) => ask(stale, path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
})
