import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AnyElysia } from 'elysia'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { listen } from '../../../src/server/listen.ts'
import { readParquet } from '../../tables/readParquet.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const id = testFeedId(0)
const path = `/v1/feeds/${id}/history`
const HASH = '88450b082ec4df2fdccd3a626c6e489b'

let app: AnyElysia
// biome-ignore lint/suspicious/noExplicitAny: the tests know their way
let items: any[]

beforeAll(async () => {
  const chain = await createRegistryChain({ feeds: 1, startMs: 1_700_000_000_000 })
  chain.attest(id, { period: 20_261_118, amount: 2_500_000n, source_hash: HASH })
  chain.attest(id, { period: 99, amount: 2n ** 512n - 1n, source_hash: '=1+1' })
  await chain.advance()
  chain.attest(id, { period: 20_261_120, amount: 7n, source_hash: HASH })
  await chain.advance()
  app = createTestApp({ client: localClient(chain).client })
  items = (await answerOf(app, path)).body.items
})

/** The cells of an item, as in a table. */
const cellsOf = (item: Record<string, unknown>) =>
  Object.values({
    feed_id: id,
    unit: '$/unit',
    ...item,
    value: item.value === 0 ? '0.0' : item.value,
    source_hash: item.source_hash === HASH ? HASH : null,
    attested_at: new Date(Number(item.attested_at)).toISOString(),
  })

const columnNames = () => ['feed_id', 'unit', ...Object.keys(items[0])]

const csvOf = (indices: readonly number[]): string => {
  const rows = indices.map((index) => cellsOf(items[index]).map((cell) => String(cell ?? '')))
  return [columnNames(), ...rows].map((row) => `${row.join(',')}\r\n`).join('')
}

const parquetOf = (indices: readonly number[]) =>
  indices.map((index) => {
    const { period, period_start, period_end, revision, attested_at, source_hash, ...item } = items[index]
    return {
      feed_id: id,
      unit: '$/unit',
      ...item,
      index: BigInt(index),
      period: BigInt(period),
      period_start: period_start === null ? null : new Date(period_start),
      period_end: period_end === null ? null : new Date(period_end),
      revision: BigInt(revision),
      source_hash: source_hash === HASH ? HASH : null,
      attested_at: new Date(attested_at),
    }
  })

const queries: [query: string, indices: number[], next: string | null][] = [
  ['', [0, 1, 2, 3], null],
  ['?from=1&to=3', [1, 2], null],
  ['?limit=3', [0, 1, 2], '?after=2&limit=3'],
  ['?order=desc&limit=2', [3, 2], '?after=2&limit=2&order=desc'],
  ['?vintages=latest&limit=2', [2, 1], '?to=4&after=20261118&limit=2&vintages=latest'],
  ['?as_of=2023-11-14&vintages=first&limit=5000', [2, 1, 0], null],
  ['?from=900', [], null],
]

const linkOf = (format: string, query: string, next: string | null): string =>
  [
    `<${path}.csv-metadata.json${query}>; rel="describedby"; type="application/csvm+json"`,
    ...(next === null ? [] : [`<${path}.${format}${next}>; rel="next"`]),
  ].join(', ')

describe('GET /v1/feeds/:id/history.csv', () => {
  test.each(queries)('default: the rows of %p, without free text', async (query, indices, next) => {
    const response = await ask(app, `${path}.csv${query}`)
    expect([response.status, await response.text()]).toEqual([200, csvOf(indices)])
    expect(response.headers.toJSON()).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${id}.history.csv"`,
      'accept-ranges': 'bytes',
      link: linkOf('csv', query, next),
      'x-casper-state-root': expect.any(String),
    })
  })
})

describe('GET /v1/feeds/:id/history.parquet', () => {
  test.each(queries)('default: the rows of %p, typed', async (query, indices, next) => {
    const response = await ask(app, `${path}.parquet${query}`)
    expect(await readParquet(new Uint8Array(await response.arrayBuffer()))).toEqual(parquetOf(indices))
    expect([response.status, response.headers.toJSON()]).toMatchObject([
      200,
      {
        'content-type': 'application/vnd.apache.parquet',
        'content-disposition': `attachment; filename="${id}.history.parquet"`,
        link: linkOf('parquet', query, next),
      },
    ])
  })
})

describe.each(['csv', 'parquet'])('history.%s', (format) => {
  test('behavior: a permalink pins a file, too; another digest and a longer past are a 409', async () => {
    const { permalink } = (await answerOf(app, `${path}?limit=2`)).body
    const pinned = permalink.replace('/history?', `/history.${format}?`)
    const response = await ask(app, pinned)
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
    expect(await response.bytes()).toEqual(await (await ask(app, `${path}.${format}?limit=2`)).bytes())
    expect((await answerOf(app, pinned.replace(/.{4}$/, '0000'))).status).toBe(409)
    expect((await answerOf(app, pinned.replace('to=2', 'to=5'))).status).toBe(409)
  })

  test('behavior: HEAD, Range and If-Range over HTTP, as readers of remote files send them', async () => {
    const listener = listen({ fetch: app.fetch, port: 0, host: '127.0.0.1', deadlineMs: 60_000 })
    const get = (headers: Record<string, string>, method = 'GET') =>
      fetch(`http://127.0.0.1:${listener.port}${path}.${format}`, { method, headers })
    try {
      const head = await get({}, 'HEAD')
      const whole = await (await get({ 'accept-encoding': 'identity' })).bytes()
      const etag = head.headers.get('etag') ?? ''
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)])
      for (const [headers, status, body] of [
        [{ range: 'bytes=-8' }, 206, whole.subarray(-8)],
        [{ range: 'bytes=-262144' }, 206, whole],
        [{ range: 'bytes=4-11', 'if-range': etag }, 206, whole.subarray(4, 12)],
        [{ range: 'bytes=4-11', 'if-range': '"other"' }, 200, whole],
        [{ 'if-none-match': etag, 'accept-encoding': 'identity' }, 304, new Uint8Array()],
      ] as const) {
        const response = await get(headers)
        expect([headers, response.status]).toEqual([headers, status])
        expect(Buffer.compare(await response.bytes(), body)).toBe(0)
      }
      expect((await get({ range: `bytes=${whole.length}-` })).status).toBe(416)
    } finally {
      await listener.close()
    }
  })

  test('behavior: a feed without a value has no rows, an unknown one is a 404', async () => {
    const empty = await createRegistryChain()
    empty.register('EMPTY')
    await empty.advance()
    const emptyApp = createTestApp({ client: localClient(empty).client })
    expect((await ask(emptyApp, `/v1/feeds/EMPTY/history.${format}`)).status).toBe(200)
    expect((await answerOf(emptyApp, `/v1/feeds/NOPE/history.${format}`)).status).toBe(404)
  })

  test.each([
    ['limit=5001', 'limit=5001: it must be a whole number from 1 to 5000'],
    ['limit=1&limit=2', 'limit=2: it takes one value; pass it only once'],
    ['format=csv', 'unknown query parameter "format"; allowed: from, to, after, limit'],
    ['as_of=2026-11-20&vintages=all', 'vintages must be'],
  ])('error: ?%s', async (query, error) => {
    const { status, body } = await answerOf(app, `${path}.${format}?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining(error)])
  })
})

describe('GET /v1/feeds/:id/history.csv-metadata.json', () => {
  test('default: the metadata has unit, data types and source of the CSV', async () => {
    const response = await ask(app, `${path}.csv-metadata.json?limit=3`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/csvm+json'])
    const metadata = await response.json()
    expect(metadata).toMatchObject({
      '@context': ['http://www.w3.org/ns/csvw', { '@language': 'en' }],
      url: 'history.csv?limit=3',
      'dc:identifier': id,
      'dc:source': 'invented',
    })
    const { columns } = metadata.tableSchema
    expect(columns.map(({ name }: { name: string }) => name)).toEqual(columnNames())
    const named = Object.fromEntries(columns.map((column: { name: string }) => [column.name, column]))
    expect(named.value).toMatchObject({ datatype: 'double', 'schema:unitText': '$/unit' })
    expect([named.period_start.datatype, named.period_end.datatype]).toEqual(['date', 'date'])
    const csv = new URL(metadata.url, `http://localhost${path}.csv-metadata.json?limit=3`)
    expect(await (await ask(app, `${csv.pathname}${csv.search}`)).text()).toBe(csvOf([0, 1, 2]))
  })

  test('behavior: invisible and bidirectional characters of a feed are escapes', async () => {
    const feed_id = 'a\u202e\u3164b'
    const client = createFakeClient({ readings: [readingOf({ feed_id, title: feed_id })] })
    const response = await ask(
      createTestApp({ client }),
      `/v1/feeds/${encodeURIComponent(feed_id)}/history.csv-metadata.json`,
    )
    const text = await response.text()
    expect(text).not.toMatch(/[\u202e\u3164]/)
    expect(JSON.parse(text)['dc:identifier']).toBe(feed_id)
  })

  test('error: a bad parameter, and a feed that does not exist', async () => {
    expect((await answerOf(app, `${path}.csv-metadata.json?limit=0`)).status).toBe(400)
    expect((await answerOf(app, '/v1/feeds/NOPE/history.csv-metadata.json')).status).toBe(404)
  })
})

test('behavior: ids with any character, and very long ones, name files and addresses safely', async () => {
  const odd = createSyntheticChain()
  const ids = ['=a/b?c#é "x"\r\n>', `${'x'.repeat(99)}😀tail`]
  for (const feedId of ids) {
    odd.register(feedId)
    for (const period of [1, 2]) odd.attest(feedId, { period })
  }
  odd.advance()
  const oddApp = createTestApp({ client: localClient(odd).client })
  for (const feedId of ids) {
    const address = `/v1/feeds/${encodeURIComponent(feedId)}/history.csv`
    const { status, headers } = await ask(oddApp, `${address}?limit=1`)
    expect(status).toBe(200)
    const name = /^attachment; filename="([A-Za-z0-9._-]+)"; filename\*=UTF-8''([A-Za-z0-9._%-]+)$/.exec(
      headers.get('content-disposition') ?? '',
    )
    expect(decodeURIComponent(name?.[2] ?? '')).toBe(`${[...feedId].slice(0, 100).join('')}.history.csv`)
    const [, metadata = '', next = ''] =
      /^<([^>]+)>; rel="describedby"; type="[^"]+", <([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ??
      []
    expect((await (await ask(oddApp, next)).text()).trimEnd().split('\r\n').at(-1)).toContain(',1,2,')
    expect((await answerOf(oddApp, metadata)).body['dc:identifier']).toBe(feedId)
  }
})

describe('a large file', () => {
  const feed = syntheticFeedId(0)
  const real = globalThis.Worker
  let started = 0

  beforeAll(() => {
    globalThis.Worker = class extends real {
      constructor(...options: ConstructorParameters<typeof real>) {
        super(...options)
        started += 1
      }
    }
  })

  afterAll(() => {
    globalThis.Worker = real
  })

  test('behavior: a large file is encoded in a worker, once for concurrent requests', async () => {
    const long = createSyntheticChain({ feeds: 1 })
    for (let index = 1; index < 900; index++) long.attest(feed, { period: index })
    long.advance()
    const longApp = createTestApp({ client: localClient(long).client })
    const get = () => ask(longApp, `/v1/feeds/${feed}/history.parquet`)
    const [first] = await Promise.all([get(), get(), get()])
    await get()
    expect(started).toBe(1)
    const rows = await readParquet(new Uint8Array((await first?.arrayBuffer()) ?? new ArrayBuffer()))
    expect(rows.map(({ index }) => index)).toEqual(Array.from({ length: 900 }, (_, index) => BigInt(index)))
    const asCsv = (headers = {}) => ask(longApp, `/v1/feeds/${feed}/history.csv?limit=600`, { headers })
    const csv = await (await asCsv()).text()
    const packed = await asCsv({ 'accept-encoding': 'gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(new TextDecoder().decode(Bun.gunzipSync(await packed.bytes()))).toBe(csv)
    expect([csv.split('\r\n').length, started]).toEqual([602, 2])
  })

  test('error: a past that is read in the background is a 503, as of /history', async () => {
    const long = createSyntheticChain({ feeds: 1 })
    for (let index = 1; index < 1_600; index++) long.attest(feed, { period: index })
    long.advance()
    const longApp = createTestApp({ client: localClient(long).client })
    const response = await ask(longApp, `/v1/feeds/${feed}/history.csv`)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, expect.any(String)])
    expect((await ask(longApp, `/v1/feeds/${feed}/history.csv?limit=1000`)).status).toBe(200)
  })
})
