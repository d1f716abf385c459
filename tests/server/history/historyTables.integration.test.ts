import { beforeAll, describe, expect, test } from 'bun:test'
import type { AnyElysia } from 'elysia'
import { parquetMetadata } from 'hyparquet'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { readParquet } from '../../tables/readParquet.ts'
import { parseRows } from '../../tables/spreadsheet.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const [DAILY, OTHER] = [testFeedId(0), testFeedId(1)]
const HOURLY = 'an hour; of=A'
const HOUR = 1_795_150_800

let app: AnyElysia

beforeAll(async () => {
  const chain = await createRegistryChain({ feeds: 2, startMs: 1_700_000_000_000 })
  chain.register(HOURLY, { frequency: 'hourly', unit: 'MWh' })
  chain.register('EMPTY')
  await chain.advance()
  for (const period of [HOUR, HOUR + 3_600, HOUR]) chain.attest(HOURLY, { period, amount: BigInt(period) })
  chain.attest(DAILY, { period: 20_261_118, amount: 2n })
  chain.attest(DAILY, { period: 20_261_118, amount: 3n })
  await chain.advance()
  app = createTestApp({ client: localClient(chain).client })
})

const addressOf = (format: string, ids: readonly string[], query = ''): string =>
  `/v1/history.${format}?${ids.map((id) => `id=${encodeURIComponent(id)}`).join('&')}${query}`

const rowsOf = async (address: string): Promise<string[][]> =>
  parseRows(await (await ask(app, address)).text(), ',').slice(1)

/** Follows the links from page to page. */
async function allRows(address: string): Promise<string[][]> {
  const rows: string[][] = []
  for (let next: string | undefined = address; next !== undefined; ) {
    const response: Response = await ask(app, next)
    expect(response.status).toBe(200)
    rows.push(...parseRows(await response.text(), ',').slice(1))
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return rows
}

describe('GET /v1/history.csv', () => {
  test('default: the rows of each feed in the requested order, with timestamps for hours and days', async () => {
    const response = await ask(app, addressOf('csv', [HOURLY, 'EMPTY', DAILY]))
    expect([response.status, response.headers.toJSON()]).toMatchObject([
      200,
      {
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': 'attachment; filename="wattfeed.history.csv"',
        'accept-ranges': 'bytes',
        'x-casper-state-root': expect.any(String),
        link: `<${addressOf('csv-metadata.json', [HOURLY, 'EMPTY', DAILY])}>; rel="describedby"; type="application/csvm+json"`,
      },
    ])
    const [names, ...rows] = parseRows(await response.text(), ',')
    expect(names?.join()).toBe(
      'feed_id,unit,index,period,period_start,period_end,value,amount,revision,source_hash,attester,attested_at',
    )
    expect(rows.map((cells) => cells.slice(0, 6))).toEqual([
      [HOURLY, 'MWh', '0', `${HOUR}`, '2026-11-20T04:00:00.000Z', '2026-11-20T05:00:00.000Z'],
      [HOURLY, 'MWh', '1', `${HOUR + 3_600}`, '2026-11-20T05:00:00.000Z', '2026-11-20T06:00:00.000Z'],
      [HOURLY, 'MWh', '2', `${HOUR}`, '2026-11-20T04:00:00.000Z', '2026-11-20T05:00:00.000Z'],
      [DAILY, '$/unit', '0', '20261120', '2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.000Z'],
      [DAILY, '$/unit', '1', '20261118', '2026-11-18T00:00:00.000Z', '2026-11-18T00:00:00.000Z'],
      [DAILY, '$/unit', '2', '20261118', '2026-11-18T00:00:00.000Z', '2026-11-18T00:00:00.000Z'],
    ])
  })

  test.each(['', '&order=desc', '&vintages=latest', '&vintages=first&order=desc', '&period_from=2026-11-19'])(
    'behavior: page by page with%p, every row once, and those of each feed’s own file',
    async (query) => {
      const whole = await rowsOf(addressOf('csv', [DAILY, OTHER, HOURLY, 'EMPTY'], query))
      const alone: string[][] = []
      for (const id of [DAILY, OTHER, HOURLY]) {
        const path = `/v1/feeds/${encodeURIComponent(id)}/history.csv?${query}`
        alone.push(...(await rowsOf(path)))
      }
      const withoutPeriods = (rows: string[][]) => rows.map((cells) => cells.toSpliced(4, 2))
      expect(withoutPeriods(whole)).toEqual(withoutPeriods(alone))
      for (const limit of [1, 2, 3, 6, 7])
        expect(
          await allRows(addressOf('csv', [DAILY, OTHER, HOURLY, 'EMPTY'], `${query}&limit=${limit}`)),
        ).toEqual(whole)
    },
  )

  test('default: dates select periods of every frequency', async () => {
    const rows = await rowsOf(
      addressOf('csv', [DAILY, HOURLY], '&period_from=2026-11-20&period_to=2026-11-20'),
    )
    expect(rows.map(([id, , , period]) => [id, period])).toEqual([
      [DAILY, '20261120'],
      [HOURLY, `${HOUR}`],
      [HOURLY, `${HOUR + 3_600}`],
      [HOURLY, `${HOUR}`],
    ])
  })

  test('error: an integer is of the scale of every feed, also of those that only a later page has', async () => {
    for (const query of ['&period_from=20261120', '&period_to=20261120&limit=1'])
      expect(await answerOf(app, addressOf('csv', [DAILY, HOURLY], query))).toEqual({
        status: 400,
        body: {
          error: expect.stringMatching(
            /^period_\w+ must be epoch seconds \(10 digits\), not 20261120, because the feed is hourly$/,
          ),
        },
      })
  })

  test('error: a feed that does not exist is a 404 for the whole', async () => {
    const { status, body } = await answerOf(app, addressOf('csv', [DAILY, 'NOPE']))
    expect([status, body.error]).toEqual([404, expect.stringContaining('NOPE')])
  })

  test.each([
    ['', 'id: required; pass it 1 to 100 times'],
    ['id=A&id=A', 'id=A: pass each id only once'],
    [Array.from({ length: 101 }, (_, at) => `id=${at}`).join('&'), 'id=100: pass it at most 100 times'],
    ['id=A&from=1', 'unknown query parameter "from"; allowed: id, to, after, limit, order'],
    ['id=A&pin=0123456789abcdef', 'unknown query parameter "pin"; allowed: '],
    ['id=A&limit=5001', 'limit=5001: it must be a whole number from 1 to 5000'],
    ['id=A&period_to=2026-02-30', 'period_to must be an integer, or a date'],
  ])('error: ?%s', async (query, error) => {
    for (const form of ['csv', 'parquet', 'csv-metadata.json']) {
      const { status, body } = await answerOf(app, `/v1/history.${form}?${query}`)
      expect([status, body.error]).toEqual([400, expect.stringContaining(error)])
    }
  })
})

describe('GET /v1/history.parquet', () => {
  test('default: the rows of the CSV, typed, also of one feed', async () => {
    for (const ids of [[DAILY, HOURLY], [DAILY]]) {
      const bytes = new Uint8Array(await (await ask(app, addressOf('parquet', ids))).arrayBuffer())
      const types = parquetMetadata(bytes.buffer).schema.map(({ name, converted_type }) => [
        name,
        converted_type,
      ])
      expect(types).toContainEqual(['period_start', 'TIMESTAMP_MILLIS'])
      expect(types).toContainEqual(['period_end', 'TIMESTAMP_MILLIS'])
      const rows = await readParquet(bytes)
      expect(
        rows.map(({ feed_id, unit, period_start }) => [feed_id, unit, Object(period_start).toISOString()]),
      ).toEqual(
        (await rowsOf(addressOf('csv', ids))).map(([id = '', unit = '', , , start = '']) => [
          id,
          unit,
          start,
        ]),
      )
    }
  })
})

test('default: the metadata describes the CSV at that URL', async () => {
  const response = await ask(app, addressOf('csv-metadata.json', [DAILY]))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/csvm+json'])
  const metadata = await response.json()
  expect(metadata).not.toHaveProperty('dc:source')
  expect(metadata.url).toBe(`history.csv?id=${DAILY}`)
  const types = metadata.tableSchema.columns.map(({ name, datatype }: Record<string, unknown>) => [
    name,
    datatype,
  ])
  expect(Object.fromEntries(types)).toMatchObject({
    feed_id: 'string',
    unit: 'string',
    period_start: 'dateTime',
    period_end: 'dateTime',
    attested_at: 'dateTime',
  })
})

test('behavior: a first file costs a call for each value, and few others', async () => {
  const chain = createSyntheticChain({ feeds: 20 })
  chain.advance()
  const { client, calls } = localClient(chain)
  await client.listReadings()
  const cold = createTestApp({ client })
  calls.reset()
  const ids = Array.from({ length: 20 }, (_, feed) => syntheticFeedId(feed))
  expect((await ask(cold, addressOf('csv', ids))).status).toBe(200)
  // Each feed's count and value, the state root.
  expect(calls.total()).toBeLessThan(20 * 2 + 5)
  calls.reset()
  expect((await ask(cold, addressOf('csv', ids))).status).toBe(200)
  expect(calls.total()).toBeLessThan(2)
})

describe('long histories', () => {
  const VALUES = 700

  async function createLongPasts(feeds: number, historyCacheMb = 64) {
    const long = createSyntheticChain({ feeds })
    for (let feed = 0; feed < feeds; feed++)
      for (let index = 1; index < VALUES; index++) long.attest(syntheticFeedId(feed), { period: index })
    long.advance()
    const { client } = localClient(long)
    await client.listReadings()
    const log = { info() {}, warn() {}, error() {} }
    return createTestApp({ client, log, historyCacheMb })
  }

  const idsOf = (count: number) => Array.from({ length: count }, (_, feed) => syntheticFeedId(feed))

  test('behavior: more values than one request reads are read in the background: 503 until then', async () => {
    const long = await createLongPasts(3)
    const address = addressOf('csv', idsOf(3))
    const first = await ask(long, address)
    expect([first.status, Number(first.headers.get('retry-after'))]).toEqual([503, expect.any(Number)])
    expect((await first.json()).error).toBe(
      'the history of SYNTHETIC.0 is being read: 0 of 700 values so far; retry later',
    )
    let response = await ask(long, address)
    while (response.status === 503) response = await ask(long, address)
    expect(parseRows(await response.text(), ',')).toHaveLength(3 * VALUES + 1)
    const page = await ask(await createLongPasts(3), addressOf('csv', idsOf(3), '&limit=1000'))
    expect([page.status, parseRows(await page.text(), ',').length]).toEqual([200, 1_001])
  })

  test('error: when the queue is full, a 429', async () => {
    const long = await createLongPasts(23)
    expect((await ask(long, addressOf('csv', idsOf(23), '&order=desc&period_from=1986-01-01'))).status).toBe(
      503,
    )
    const others = idsOf(23).slice(18, 20)
    const response = await ask(long, addressOf('parquet', others))
    expect([response.status, (await response.json()).error]).toEqual([
      429,
      'history queue is full (18 feeds waiting); retry SYNTHETIC.18 later',
    ])
  })

  test('error: histories that fit into memory separately but not together', async () => {
    const small = await createLongPasts(3, 0.25)
    const { status, body } = await answerOf(small, addressOf('csv', idsOf(3)))
    expect([status, body.error]).toEqual([
      503,
      'the history of SYNTHETIC.1 and of the feeds before it does not fit into 0 MB; request fewer feeds at once, or raise HISTORY_CACHE_MB, or maxBytes in the library',
    ])
    expect((await ask(small, addressOf('csv', idsOf(3), '&limit=700'))).status).toBe(200)
  })
})
