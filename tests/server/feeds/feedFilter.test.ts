import { describe, expect, test } from 'bun:test'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const readings = [
  readingOf({ feed_id: 'GAS', title: 'Henry Hub price' }),
  readingOf({
    feed_id: 'OIL.STOCKS',
    title: 'Crude stocks at Cushing',
    unit: 'MBBL',
    route: 'petroleum/stoc/wstk',
    frequency: 'weekly',
    description: '',
  }),
  readingOf({
    feed_id: 'OIL.PRICE',
    title: 'WTI, Cushing',
    unit: '$/bbl',
    route: 'petroleum/pri/spt',
    description: '',
  }),
  readingOf({ feed_id: 'OTHER', title: 'x', unit: '$/BBL', route: 'petroleum/prices', description: '' }),
]
const app = createTestApp({ client: createFakeClient({ readings }) })

async function idsOf(query: string): Promise<string[]> {
  const { status, body } = await answerOf(app, `/v1/feeds?${query}`)
  expect(status).toBe(200)
  expect(body.count).toBe(body.feeds.length)
  return body.feeds.map(({ feed_id }: { feed_id: string }) => feed_id)
}

describe('GET /v1/feeds with a filter', () => {
  test.each([
    ['q=CUSHING', ['OIL.STOCKS', 'OIL.PRICE']],
    ['q=cushing+crude', ['OIL.STOCKS']],
    ['q=%20weekly%20', ['OIL.STOCKS']],
    ['family=petroleum/pri', ['OIL.PRICE', 'OTHER']],
    ['family=petroleum/', ['OIL.STOCKS', 'OIL.PRICE', 'OTHER']],
    ['family=petroleum/pri/', ['OIL.PRICE']],
    ['family=Petroleum', []],
    ['family=stoc', []],
    ['family=', ['GAS', 'OIL.STOCKS', 'OIL.PRICE', 'OTHER']],
    ['family=petroleum&frequency=weekly', ['OIL.STOCKS']],
    ['route=petroleum/pri', ['OIL.PRICE']],
    ['route=petroleum/', ['OIL.STOCKS', 'OIL.PRICE', 'OTHER']],
    ['route=petroleum/pri/spt', ['OIL.PRICE']],
    ['route=Petroleum', []],
    ['frequency=weekly', ['OIL.STOCKS']],
    ['unit=%24%2Fbbl', ['OIL.PRICE']],
    ['q=cushing&frequency=daily&route=petroleum', ['OIL.PRICE']],
    ['q=toString', []],
  ])('default: ?%s selects the feeds that match, in registry order', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids)
  })

  test.each([
    ['family=petroleum/stoc&family=petroleum/pri/', ['OIL.PRICE']],
    ['family=petroleum&family=', ['GAS', 'OIL.STOCKS', 'OIL.PRICE', 'OTHER']],
    ['q=henry&q=wti', ['OIL.PRICE']],
    ['q=&q=wti', ['OIL.PRICE']],
    ['f%61mily=petroleum/pri/', ['OIL.PRICE']],
    ['family=%ff', []],
    ['unit=%ff', []],
  ])(
    'behavior: ?%s is read as at /v1/datasets: the last value counts, and malformed encoding is no error',
    async (query, ids) => {
      expect(await idsOf(query)).toEqual(ids)
    },
  )

  test.each(['', '/', '/pri/', '/pri/spt', 'x'])(
    'behavior: a family selects the feeds of the datasets that it selects: petroleum%s',
    async (rest) => {
      const { body } = await answerOf(app, `/v1/datasets?family=petroleum${rest}`)
      const routes = body.datasets.map(({ route }: { route: string }) => route)
      const expected = readings.filter(({ route }) => routes.includes(route)).map(({ feed_id }) => feed_id)
      const found = (await idsOf(`family=petroleum${rest}`)).filter((id) => id !== 'OTHER')
      expect(found).toEqual(expected)
    },
  )

  test.each(['limit=5', 'id=GAS', 'Q=gas', 'x=%zz&x=1', 'constructor=1', '&&='])(
    'behavior: ?%s, an unknown parameter, is ignored',
    async (query) => {
      const [plain, other] = [await ask(app, '/v1/feeds'), await ask(app, `/v1/feeds?${query}`)]
      expect(other.headers.get('etag')).toBe(plain.headers.get('etag'))
      expect(await idsOf(`${query}&q=henry`)).toEqual(['GAS'])
    },
  )

  const text = '1 to 200 characters; leave the parameter out to not filter by it'
  test.each([
    ['q=', `q="": it must be ${text}`],
    ['q', `q="": it must be ${text}`],
    ['unit=+%09', `unit=" \\t": it must be ${text}`],
    [`route=${'a'.repeat(201)}`, `route="${'a'.repeat(100)}…": it must be ${text}`],
    [
      'frequency=Weekly',
      'frequency=Weekly: it must be one of hourly, local-hourly, daily, weekly, four-week-average, monthly, quarterly, annual',
    ],
  ])('error: ?%s is a 400 that names the parameter, the value and the rule', async (query, error) => {
    expect(await answerOf(app, `/v1/feeds?${query}`)).toEqual({ status: 400, body: { error } })
    expect((await ask(app, `/v1/feeds.csv?${query}`)).status).toBe(400)
  })

  test('behavior: 200 characters are not too many', async () => {
    expect((await ask(app, `/v1/feeds?q=${encodeURIComponent('x'.repeat(200))}`)).status).toBe(200)
  })

  test('behavior: it reads nothing but the list, and an unchanged answer is a 304', async () => {
    const first = await ask(app, '/v1/feeds?q=henry')
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    expect((await ask(app, '/v1/feeds?q=henry', { headers })).status).toBe(304)
    const head = await ask(app, '/v1/feeds?q=henry', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('GET /v1/feeds.csv with parameters', () => {
  const csvOf = async (query: string) =>
    (await (await ask(app, `/v1/feeds.csv?${query}`)).text()).split('\r\n')

  test('default: a filter selects rows, and fields select columns in the order of the table', async () => {
    expect(await csvOf('family=petroleum/stoc&fields=feed_id')).toEqual(['feed_id', 'OIL.STOCKS', ''])
    expect(await csvOf('q=cushing&fields=value,frequency,unit,title,feed_id')).toEqual([
      'feed_id,title,unit,frequency,value',
      'OIL.STOCKS,Crude stocks at Cushing,MBBL,weekly,3.04938',
      'OIL.PRICE,"WTI, Cushing",$/bbl,daily,3.04938',
      '',
    ])
  })

  test('behavior: without fields the columns are the same as without parameters', async () => {
    const [header] = await csvOf('unit=MBBL')
    expect([header]).toEqual([(await csvOf(''))[0]])
  })

  test('behavior: a title that a spreadsheet would run is escaped', async () => {
    const client = createFakeClient({ readings: [readingOf({ title: '=1+1', unit: '@a' })] })
    const response = await ask(createTestApp({ client }), '/v1/feeds.csv?fields=title,unit')
    expect(await response.text()).toBe("title,unit\r\n'=1+1,'@a\r\n")
  })

  test('default: the metadata of the same query describes the columns', async () => {
    const table = await ask(app, '/v1/feeds.csv?fields=unit,title&q=oil')
    const path = /<([^>]+)>/.exec(table.headers.get('link') ?? '')?.[1] ?? ''
    expect(path).toBe('/v1/feeds.csv-metadata.json?fields=unit,title&q=oil')
    const { url, tableSchema } = await (await ask(app, path)).json()
    expect([url, tableSchema.columns.map(({ name }: { name: string }) => name)]).toEqual([
      'feeds.csv?fields=unit,title&q=oil',
      ['title', 'unit'],
    ])
  })

  test('error: an unknown field or parameter is a 400', async () => {
    const names = 'feed_id, title, unit, frequency, decimals, value, amount, period, source_hash, updated_at'
    expect(await answerOf(app, '/v1/feeds.csv?fields=name')).toEqual({
      status: 400,
      body: { error: `fields=name: it must be one or more of ${names}, separated by commas` },
    })
    expect(await answerOf(app, '/v1/feeds.csv?q=a&q=a')).toEqual({
      status: 400,
      body: { error: 'q=a: it takes one value; pass it only once' },
    })
    expect((await ask(app, '/v1/feeds.csv?unit=%ff')).status).toBe(400)
    expect(await answerOf(app, '/v1/feeds.csv?limit=1')).toEqual({
      status: 400,
      body: { error: 'unknown query parameter "limit"; allowed: q, family, route, frequency, unit, fields' },
    })
  })
})
