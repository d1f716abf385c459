import { describe, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { createFakeClient } from '../fakeClient.ts'
import { createTestApp, createTestLog, TestChainError } from '../testApp.ts'
import { answer, apiOf, inventRetail, RETAIL, retailRecord } from './inventedApi.ts'

const PATH = `/eia/v2/${RETAIL}/data`

const rule = 'It must be'
const mistakes: [string, string, number, string][] = [
  [
    'a route that EIA does not have',
    '/eia/v2/electricity/retail-sale/data',
    404,
    "Not found. The nearest attested route is 'electricity/retail-sales'.",
  ],
  [
    'a long route that EIA does not have',
    `/eia/v2/${'x'.repeat(5_000)}`,
    404,
    "Not found. The nearest attested route is 'electricity/retail-sales'.",
  ],
  [
    'a level with data',
    '/eia/v2/electricity/data',
    404,
    "Not found. EIA has 'electricity', but it is not attested here. Attested are 'electricity/retail-sales'.",
  ],
  ['a path below data', `${PATH}/x`, 404, 'Not found.'],
  [
    'a route with a line break',
    '/eia/v2/electricity%0Aretail',
    404,
    "Not found. The nearest attested route is 'electricity/retail-sales'.",
  ],
  ['a path without an endpoint', '/eia/v3', 404, 'unknown path /eia/v3; GET / lists all endpoints'],
  [
    'a route of EIA that is not attested',
    '/eia/v2/steo',
    404,
    "Not found. EIA has 'steo', but it is not attested here. Attested are 'electricity/retail-sales'.",
  ],
  [
    'a frequency',
    `${PATH}?frequency=yearly`,
    400,
    "Invalid frequency 'yearly' provided. The only valid frequencies are 'monthly'.",
  ],
  [
    'a long text with a character that is not shown',
    `${PATH}?frequency=%1b${'x'.repeat(200)}`,
    400,
    `Invalid frequency '\\u{1b}${'x'.repeat(93)}…' provided. The only valid frequencies are 'monthly'.`,
  ],
  [
    'a frequency of EIA that is not attested',
    `${PATH}?frequency=annual`,
    400,
    "Invalid frequency 'annual' provided. The only valid frequencies are 'monthly'. EIA has 'annual', but it is not attested here.",
  ],
  [
    'a column',
    `${PATH}?data[]=Price`,
    400,
    "Invalid data 'Price' provided. The only valid data are 'price', and 'sales'.",
  ],
  [
    'a column of EIA that is not attested',
    `${PATH}?data[]=price&data[]=revenue`,
    400,
    "Invalid data 'revenue' provided. The only valid data are 'price', and 'sales'. EIA has 'revenue', but it is not attested here.",
  ],
  [
    'a facet',
    `${PATH}?facets[state][]=CA`,
    400,
    "Invalid facet 'state' provided. The only valid facets are 'sectorid', and 'stateid'.",
  ],
  [
    'an order',
    `${PATH}?sort[0][column]=date`,
    400,
    "Invalid sort 'date' provided. The only valid sort parameters are 'price', 'sales', 'period', 'sectorid', and 'stateid'.",
  ],
  [
    'a direction',
    `${PATH}?sort[0][column]=period&sort[0][direction]=down`,
    400,
    `Invalid sort direction 'down' provided. ${rule} 'asc' or 'desc'.`,
  ],
  [
    'an offset',
    `${PATH}?offset=-1`,
    400,
    `Invalid offset '-1' provided. ${rule} a number of rows, 0 or more.`,
  ],
  [
    'a length',
    `${PATH}?length=1e3`,
    400,
    `Invalid length '1e3' provided. ${rule} a number of rows, 0 or more.`,
  ],
  [
    'a first period',
    `${PATH}?start=2026-13`,
    400,
    `Invalid date format '2026-13' provided. ${rule} a period such as '2026', '2026-Q3', '2026-09', '2026-09-14' or '2026-09-14T00'.`,
  ],
  [
    'a last period',
    `${PATH}?end=now`,
    400,
    `Invalid date format 'now' provided. ${rule} a period such as '2026', '2026-Q3', '2026-09', '2026-09-14' or '2026-09-14T00'.`,
  ],
  [
    'a path that is not UTF-8',
    '/eia/v2/%ff',
    400,
    '"/eia/v2/%ff" is not percent-encoded UTF-8; encode ids with encodeURIComponent (JavaScript) or an equivalent',
  ],
]

describe('errors in EIA’s form', () => {
  test.each(mistakes)('error: %s', async (_, path, code, error) => {
    using dataset = await inventRetail()
    const { status, headers, body } = await answer(apiOf([dataset]), path)
    expect([status, body]).toEqual([code, { error, code }])
    expect([headers.get('x-wattfeed-error') !== null, headers.get('access-control-allow-origin')]).toEqual([
      true,
      '*',
    ])
  })

  test.each(['[]', '{', `{"data":["${'x'.repeat(9_000)}"]}`, '"SECRET"'])(
    'error: the header X-Params %#, of which nothing is shown',
    async (text) => {
      using dataset = await inventRetail()
      const { status, body } = await answer(apiOf([dataset]), PATH, { headers: { 'x-params': text } })
      expect([status, body]).toEqual([
        400,
        {
          error: expect.stringMatching(/^Invalid header X-Params provided\. It must be a JSON object/),
          code: 400,
        },
      ])
      expect(body.error).not.toContain('SECRET')
    },
  )

  test('error: a facet of the header X-Params with a bracket', async () => {
    using dataset = await inventRetail()
    const headers = { 'x-params': '{"facets":{"a]b":["CA"]}}' }
    const { status, body } = await answer(apiOf([dataset]), PATH, { headers })
    expect([status, body.error]).toEqual([400, expect.stringContaining("Invalid facet 'a]b' provided.")])
  })

  test('error: another method', async () => {
    using dataset = await inventRetail()
    const { status, headers, body } = await answer(apiOf([dataset]), PATH, { method: 'POST' })
    expect([status, headers.get('allow'), body.code]).toEqual([405, 'GET, HEAD, OPTIONS', 405])
  })

  test('error: no snapshots, only places by URL, and a snapshot without an index of tables', async () => {
    using dataset = await inventRetail()
    expect((await answer(createTestApp(), PATH)).body.code).toBe(404)
    const remote = apiOf([dataset], { datasets: [{ ...dataset.place, isRemote: true }] })
    expect((await answer(remote, PATH)).body).toEqual({
      error: expect.stringContaining('local folder'),
      code: 404,
    })
    const index = join(dataset.snapshots[0]?.folder ?? '', 'table-index')
    renameSync(index, `${index}.away`)
    const { status, body } = await answer(apiOf([dataset]), PATH)
    expect([status, body]).toEqual([404, { error: expect.stringContaining('has no table-index'), code: 404 }])
  })

  test('error: no snapshot of a recent root, and a chain that cannot be read', async () => {
    using dataset = await inventRetail()
    const missing = apiOf([dataset], { datasets: [{ read: async () => null }] })
    const { status, body } = await answer(missing, PATH)
    expect([status, body.code]).toEqual([503, 503])
    const client = createFakeClient({
      snapshot: () => Promise.reject(new TestChainError('all_nodes_failed', true)),
    })
    const failed = await answer(apiOf([dataset], { client }), PATH)
    expect([failed.status, failed.headers.get('retry-after'), failed.body]).toEqual([
      502,
      '4',
      { error: 'the chain was not read: all_nodes_failed', code: 502 },
    ])
  })

  test('error: too many requests at once have the form of EIA’s limits of use', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const answers = await Promise.all(Array.from({ length: 60 }, () => answer(app, PATH)))
    const busy = answers.find(({ status }) => status === 429)
    expect(busy?.body).toEqual({
      error: { code: 'OVER_RATE_LIMIT', message: expect.stringContaining('are waiting; retry') },
    })
    expect(busy?.headers.get('retry-after')).toBe('4')
  })

  test('error: too many sorts by values at once have that form, and other requests go on', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const sorts = Array.from({ length: 60 }, () => answer(app, `${PATH}?sort[0][column]=sales`))
    const others = ['', '?sort[0][column]=period&sort[1][column]=stateid'].map((query) =>
      answer(app, `${PATH}${query}`),
    )
    const table = answer(app, `/v1/series/table?route=${RETAIL}&frequency=monthly`)
    const found = await Promise.all([...others, table])
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200])
    const busy = (await Promise.all(sorts)).find(({ status }) => status === 429)
    expect(busy?.body.error).toEqual({
      code: 'OVER_RATE_LIMIT',
      message: '8 pages of tables are waiting; retry in a few seconds',
    })
  })
})

describe('the API key', () => {
  const KEY = 'S3CRET-KEY'
  const paths = [
    '/eia/v2/',
    `/eia/v2/${RETAIL}`,
    `/eia/v2/${RETAIL}/facet/stateid`,
    PATH,
    `${PATH}/`,
    `${PATH}?data[]=nope`,
    '/eia/v2/steo/data',
    '/eia/v2/seriesid/PET.RWTC.W',
    '/eia/as-of/2020-01-01/v2/electricity/retail-sales/data',
    '/eia/as-of/yesterday/v2/electricity',
    '/eia/v9',
  ]

  test.each(paths)('behavior: it is in no body, header, log or metric of %s', async (path) => {
    using dataset = await inventRetail()
    const { log, lines } = createTestLog()
    const app = apiOf([dataset], { log })
    const join = path.includes('?') ? '&' : '?'
    const init = {
      headers: { 'x-api-key': KEY, 'x-params': JSON.stringify({ api_key: KEY, length: 1 }) },
    }
    const { headers, body } = await answer(app, `${path}${join}api_key=${KEY}`, init)
    const metrics = await (await app.handle(new Request('http://localhost/metrics'))).text()
    expect(lines.length).toBeGreaterThan(0)
    for (const text of [JSON.stringify([...headers]), JSON.stringify(body), JSON.stringify(lines), metrics])
      expect(text).not.toContain(KEY)
  })

  const malformed = [
    `${PATH}&api_key=${KEY}`,
    `${PATH}%3Fapi_key=${KEY}`,
    `${PATH}%3Fapi%5Fkey%3D${KEY}`,
    `${PATH}?length=1?api_key=${KEY}`,
    `${PATH}?length=1%3FAPI_KEY%3D${KEY}`,
    `/eia/v2/${RETAIL}/facet/stateid&api_key=${KEY}`,
    `${PATH}?data[]=sales&facets[stateid][]=CA?api_key=${KEY}`,
    `${PATH}?facets[x?api_key=${KEY}][]=CA`,
    `${PATH}?API_KEY=${KEY}`,
    `/eia/v9&Api_Key=${KEY}`,
    `/eia/v2/%ff&api_key=${KEY}`,
    `/eia/as-of/yesterday&api_key=${KEY}/v2/${RETAIL}/data`,
    `/eia/v2/seriesid/PET.RWTC.W&api_key=${KEY}`,
  ]

  test.each(malformed)('behavior: nor is it in those of the malformed %s', async (path) => {
    using dataset = await inventRetail()
    const { log, lines } = createTestLog()
    const app = apiOf([dataset], { log })
    const inHeader = { 'x-params': JSON.stringify({ start: `2026-01?api_key=${KEY}` }) }
    for (const init of [{}, { method: 'POST' }, { headers: inHeader }]) {
      const { headers, body } = await answer(app, path, init)
      for (const text of [JSON.stringify([...headers]), JSON.stringify(body)]) expect(text).not.toContain(KEY)
    }
    expect([lines.length > 0, JSON.stringify(lines).includes(KEY)]).toEqual([true, false])
  })

  test('behavior: any key, or none, gets the same answer', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const plain = await answer(app, `${PATH}?data[]=sales`)
    for (const key of ['', 'a', `${retailRecord.description}`]) {
      const other = await answer(app, `${PATH}?data[]=sales&api_key=${encodeURIComponent(key)}`)
      expect([other.body, other.headers.get('etag')]).toEqual([plain.body, plain.headers.get('etag')])
    }
  })
})

test('behavior: a browser may send X-Params and read the headers of the root', async () => {
  using dataset = await inventRetail()
  const response = await apiOf([dataset]).handle(
    new Request(`http://localhost${PATH}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.org',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-params',
      },
    }),
  )
  expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([
    204,
    '*, X-Params',
  ])
  expect(response.headers.get('access-control-expose-headers')).toContain('X-Wattfeed-Root')
})
