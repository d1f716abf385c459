import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import type { DatasetQuery } from '../src/datasetPage.ts'
import { apiKey, clientOf } from './support/eiaClientOf.ts'
import { answerWith } from './support/eiaServer.ts'
import { startFixtureEia } from './support/fixtureEia.ts'

const spot: DatasetQuery = {
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  columns: ['value'],
  facets: ['duoarea', 'product', 'process', 'series'],
  start: null,
}
const sales: DatasetQuery = {
  route: 'electricity/retail-sales',
  frequency: 'monthly',
  columns: ['sales', 'price'],
  facets: ['stateid', 'sectorid'],
  start: '2026-01',
}
const row = { period: '2026-08', stateid: 'US', sectorid: 'ALL', sales: '1', price: '2' }

/** A client of an API that always gives the same answer, and its requests. */
function clientFor(response: object) {
  const requests: URL[] = []
  const body = JSON.stringify({ response: { total: '1', data: [row], ...response } })
  const fetch = async (url: string) => {
    requests.push(new URL(url))
    return new Response(body)
  }
  return { client: clientOf({ baseUrl: 'https://api.eia.gov', fetch }), requests }
}

test('behavior: a warning that a page has not all rows is not reported, others are', async () => {
  const warnings = ['incomplete return', 'other'].map((warning) => ({ warning, description: '' }))
  const fetch = async () => Response.json({ response: { total: '9', data: [row], warnings } })
  const seen: object[] = []
  const client = clientOf({
    baseUrl: 'https://api.eia.gov',
    fetch,
    observe: { warning: (each) => seen.push(each) },
  })
  await client.readDatasetPage(sales, { offset: 0, length: 1 })
  expect(seen).toMatchObject([{ warning: 'other' }])
})

/** The page, or facts of the error. */
async function read(response: object, query = sales): Promise<object> {
  const { client } = clientFor(response)
  return client
    .readDatasetPage(query, { offset: 0, length: 5000 })
    .catch((error: unknown) => ({ ...Object(error) }))
}

/** The error of a page from offset 7 on. */
async function readError(response: object): Promise<Error> {
  return errorOf(clientFor(response).client.readDatasetPage(sales, { offset: 7, length: 5000 }))
}

describe('the request', () => {
  test('default: all columns, sorted by period and then by every facet', async () => {
    const { client, requests } = clientFor({})
    await client.readDatasetPage(sales, { offset: 10_000, length: 5_000 })
    const [url] = requests
    expect(`${url?.origin}${url?.pathname}`).toBe('https://api.eia.gov/v2/electricity/retail-sales/data')
    expect([...(url?.searchParams ?? [])]).toEqual([
      ['api_key', apiKey],
      ['frequency', 'monthly'],
      ['data[0]', 'sales'],
      ['data[1]', 'price'],
      ['start', '2026-01'],
      ['sort[0][column]', 'period'],
      ['sort[0][direction]', 'desc'],
      ['sort[1][column]', 'stateid'],
      ['sort[1][direction]', 'asc'],
      ['sort[2][column]', 'sectorid'],
      ['sort[2][direction]', 'asc'],
      ['offset', '10000'],
      ['length', '5000'],
    ])
  })

  test('behavior: only some periods, and some values of facets', async () => {
    const { client, requests } = clientFor({})
    const values = { stateid: ['US', 'CA & co'], sectorid: ['ALL'] }
    await client.readDatasetPage({ ...sales, end: '2026-08', values }, { offset: 0, length: 5_000 })
    expect([...(requests[0]?.searchParams ?? [])].slice(4, 9)).toEqual([
      ['start', '2026-01'],
      ['end', '2026-08'],
      ['facets[stateid][]', 'US'],
      ['facets[stateid][]', 'CA & co'],
      ['facets[sectorid][]', 'ALL'],
    ])
  })

  test('behavior: without a start and without facets', async () => {
    const { client, requests } = clientFor({ data: [{ period: '2026-11-20', outage: '1' }] })
    const query = { route: 'a', frequency: 'daily', columns: ['outage'], facets: [], start: null }
    await client.readDatasetPage(query, { offset: 0, length: 1 })
    expect([...(requests[0]?.searchParams.keys() ?? [])]).toEqual([
      'api_key',
      'frequency',
      'data[0]',
      'sort[0][column]',
      'sort[0][direction]',
      'offset',
      'length',
    ])
  })
})

describe('the page', () => {
  test('default: rows of a real API, newest first, with the number of all', async () => {
    await using upstream = startFixtureEia({ apiKey })
    const client = clientOf({ baseUrl: upstream.url })
    const { rows, total, members, others, about } = await client.readDatasetPage(spot, {
      offset: 0,
      length: 5000,
    })
    expect(rows).toHaveLength(total)
    expect(members).toEqual([
      ...['period', 'duoarea', 'area-name', 'product', 'product-name', 'process', 'process-name', 'series'],
      ...['series-description', 'value', 'units'],
    ])
    expect(others.map(({ member, texts }) => [member, texts.length, texts[0]])).toEqual([
      ['area-name', total, 'NA'],
      ['product-name', total, 'WTI Crude Oil'],
      ['process-name', total, 'Spot Price FOB'],
      ['series-description', total, 'Cushing, OK WTI Spot Price FOB (Dollars per Barrel)'],
      ['units', total, '$/BBL'],
    ])
    expect(about).toEqual({
      description: 'Spot prices of crude oil and petroleum products.',
      dateFormat: 'YYYY-MM-DD',
      apiVersion: '2.1.8',
    })
    expect(rows[0]).toEqual({
      period: '2026-11-20',
      facets: ['YCUOK', 'EPCWTI', 'PF4', 'RWTC'],
      values: [{ value: '58.46', unit: '$/BBL' }],
    })
    const part = await client.readDatasetPage(spot, { offset: 2, length: 3 })
    expect(part).toMatchObject({ rows: rows.slice(2, 5), total, unitMembers: ['units'] })
    const since = await client.readDatasetPage({ ...spot, start: '2026-11-20' }, { offset: 0, length: 5000 })
    expect(since.rows).toEqual(rows.filter(({ period }) => period >= '2026-11-20'))
  })

  test('behavior: values and units of several columns, with every digit', async () => {
    const data =
      '[{"period":"2026-08","stateid":"US","sectorid":7,"price":1.230,"price-units":"c","sales":null,"sales-units":""}]'
    const body = `{"response":{"total":"3","frequency":"monthly","data":${data}}}`
    const client = clientOf({ baseUrl: 'https://eia.invalid', fetch: async () => new Response(body) })
    expect(await client.readDatasetPage(sales, { offset: 0, length: 1 })).toEqual({
      total: 3,
      unitMembers: ['sales-units', 'price-units'],
      members: ['period', 'stateid', 'sectorid', 'price', 'price-units', 'sales', 'sales-units'],
      others: [
        { member: 'price-units', texts: ['c'] },
        { member: 'sales-units', texts: [''] },
      ],
      about: { description: null, dateFormat: null, apiVersion: null },
      rows: [
        {
          period: '2026-08',
          facets: ['US', '7'],
          values: [
            { value: null, unit: null },
            { value: '1.230', unit: 'c' },
          ],
        },
      ],
    })
  })

  test.each([
    ['null', [{ stateid: null }], [[null, 'ALL']]],
    ['an empty text', [{ stateid: '' }], [[null, 'ALL']]],
    [
      'missing in one of two rows',
      [{ stateid: undefined }, {}],
      [
        [null, 'ALL'],
        ['US', 'ALL'],
      ],
    ],
  ])('behavior: a facet that is %s is null', async (_, changes, facets) => {
    const page = await read({ data: changes.map((change) => ({ ...row, ...change })) })
    expect(page).toMatchObject({ rows: facets.map((each) => ({ facets: each })) })
  })

  test.each([1, 2])('error: none of %i rows has a facet', async (count) => {
    const { stateid, ...other } = row
    const error = await readError({ data: Array.from({ length: count }, () => other) })
    expect(error).toMatchObject({ code: 'eia_missing_facet', facet: 'stateid', retryable: false })
    expect(error.message).toBe(
      `EIA electricity/retail-sales: none of the ${count} rows from offset 7 on has the facet "stateid"; retry later, or check that the dataset still has it`,
    )
  })

  test.each<[object, (string | null)[]]>([
    [{}, [null, null]],
    [{ 'price-units': null }, [null, 'price-units']],
    [{ units: '', 'price-units': 'c' }, ['units', 'units']],
  ])(
    'behavior: with the units %p, it says which member has that of each column: %p',
    async (units, found) => {
      expect(await read({ data: [row, { ...row, ...units }] })).toMatchObject({ unitMembers: found })
    },
  )

  test('behavior: other members are in the order of the rows, and what is no text is null', async () => {
    const data = [
      { ...row, a: 'x', b: { c: 1 } },
      { ...row, b: true, a: 5 },
      { ...row, d: null },
    ]
    expect(await read({ data })).toMatchObject({
      members: ['period', 'stateid', 'sectorid', 'sales', 'price', 'a', 'b', 'd'],
      others: [
        { member: 'a', texts: ['x', '5', null] },
        { member: 'b', texts: [null, null, null] },
        { member: 'd', texts: [null, null, null] },
      ],
    })
  })

  test('behavior: rows with more members than EIA’s have no others', async () => {
    const wide = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'x']))
    expect(await read({ data: [{ ...row, ...wide(495) }] })).toMatchObject({ others: { length: 495 } })
    expect(await read({ data: [{ ...row, ...wide(496) }] })).toMatchObject({
      members: [],
      others: [],
      total: 1,
    })
  })

  const named = 'the row at offset 8 (period "2026-08", stateid "US", sectorid "ALL")'
  const long = 'x'.repeat(100)
  test.each<[string, unknown, string]>([
    ['has no column', { ...row, price: undefined }, `${named} has no column "price"; check the column`],
    [
      'has a list as value',
      { ...row, price: [] },
      `the answer lacks a text or number as column "price" in ${named}`,
    ],
    [
      'has an object as facet',
      { ...row, stateid: { a: '\u001b' } },
      'as facet "stateid" in the row at offset 8 (period "2026-08", stateid {"a":"\\u001b"}, sectorid "ALL")',
    ],
    [
      'has no period',
      { stateid: long, sectorid: null },
      `the answer lacks a period in the row at offset 8 (stateid "${long.slice(0, 79)}, sectorid null)`,
    ],
    ['is a text', 'x', 'the answer lacks a period in the row at offset 8 (without any of its members)'],
  ])('error: the error of a row that %s names it', async (_, bad, message) => {
    expect((await readError({ data: [row, bad] })).message).toContain(message)
  })

  test('behavior: no rows past the last one', async () => {
    expect(await read({ data: [] })).toMatchObject({ rows: [], total: 1, unitMembers: [null, null] })
  })

  test('behavior: a body larger than 5 MiB, but not than 32', async () => {
    const name = 'x'.repeat(1023)
    const rowsOf = (kib: number) => ({ data: Array.from({ length: kib }, () => ({ ...row, name })) })
    expect(await read(rowsOf(8 * 1024))).toMatchObject({ total: 1 })
    expect(await read(rowsOf(33 * 1024))).toMatchObject({ code: 'eia_too_large', maxBytes: 33_554_432 })
  })

  test.each([
    ['no total', { total: undefined }, { code: 'eia_unexpected', missing: 'response.total' }],
    ['a malformed total', { total: '1e3' }, { code: 'eia_unexpected', missing: 'response.total' }],
    ['a negative total', { total: -1 }, { code: 'eia_unexpected', missing: 'response.total' }],
    ['no list of rows', { data: {} }, { code: 'eia_unexpected', missing: 'response.data' }],
    ['another frequency', { frequency: 'annual' }, { code: 'eia_wrong_frequency', came: 'annual' }],
    ['a row without a column', { data: [{ ...row, price: undefined }] }, { code: 'eia_missing_column' }],
    [
      'a row without a period',
      { data: [{ ...row, period: '' }] },
      { code: 'eia_unexpected', missing: expect.stringContaining('a period in the row') },
    ],
    [
      'a value that is a list',
      { data: [{ ...row, price: [] }] },
      { code: 'eia_unexpected', missing: expect.stringContaining('a text or number as column "price"') },
    ],
    [
      'a facet that is true',
      { data: [{ ...row, stateid: true }] },
      { code: 'eia_unexpected', missing: expect.stringContaining('a text or number as facet "stateid"') },
    ],
    [
      'a row that is a text',
      { data: ['x'] },
      { code: 'eia_unexpected', missing: expect.stringContaining('a period in the row') },
    ],
  ])('error: %s', async (_, response, facts) => {
    expect(await read(response)).toMatchObject({ route: sales.route, retryable: false, ...facts })
  })

  test('behavior: a page that comes compressed, although nobody asked', async () => {
    await using upstream = startFixtureEia()
    const client = clientOf({ baseUrl: upstream.url })
    const plain = await client.readDatasetPage(spot, { offset: 0, length: 9 })
    const url = `${upstream.url}/v2/${spot.route}/data?api_key=k&frequency=daily&data[0]=value&length=9`
    const body = await (await fetch(`${url}&sort[0][column]=period&sort[0][direction]=desc`)).text()
    const headers = { 'content-encoding': 'gzip' }
    upstream.fail(() => new Response(Bun.gzipSync(body), { headers }))
    expect((await client.readDatasetPage(spot, { offset: 0, length: 9 })).total).toBe(plain.total)
  })

  test('behavior: a throttled page is read again', async () => {
    await using upstream = startFixtureEia()
    upstream.fail(answerWith('', { status: 429 }))
    const page = await clientOf({ baseUrl: upstream.url }).readDatasetPage(spot, { offset: 0, length: 1 })
    expect([page.rows.length, upstream.requests.get(spot.route)]).toEqual([1, 2])
  })
})
