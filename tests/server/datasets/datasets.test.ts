// cspell:ignore etroleum
import { describe, expect, test } from 'bun:test'
import { datasets } from '@wattfeed/eia/catalog'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { builtInCatalog } from '../../../src/server/datasets/plugin.ts'
import { createFakeClient } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const chainIsDown = createFakeClient({ snapshot: () => Promise.reject(new Error('asked')) })
const app = createTestApp({ client: chainIsDown })

const cushing = {
  route: 'petroleum/stoc/cu',
  name: 'Crude Oil Stocks at Tank Farms & Pipelines',
  frequencies: ['monthly', 'annual'],
  columns: ['value'],
  facets: ['duoarea', 'product', 'process', 'series'],
}

const routesOf = async (query: string): Promise<string[]> => {
  const { status, body } = await answerOf(app, `/v1/datasets${query}`)
  expect(status).toBe(200)
  expect(body.total).toBe(body.datasets.length)
  return body.datasets.map((dataset: { route: string }) => dataset.route)
}

describe('GET /v1/datasets', () => {
  test('default: the whole catalog, without a chain', async () => {
    expect(await routesOf('')).toEqual(datasets.map((dataset) => dataset.route))
    expect(datasets.length).toBe(232)
  })

  test('default: a dataset has five fields, in their order', async () => {
    const response = await ask(app, '/v1/datasets?family=petroleum/&q=CUSHING')
    expect(await response.text()).toBe(JSON.stringify({ total: 1, datasets: [cushing] }))
  })

  test('behavior: family is case-sensitive and a start', async () => {
    const petroleum = datasets.filter(({ route }) => route.startsWith('petroleum')).map(({ route }) => route)
    expect(await routesOf('?family=petroleum')).toEqual(petroleum)
    expect(await routesOf('?family=Petroleum')).toEqual([])
    expect(await routesOf('?family=etroleum')).toEqual([])
  })

  test('behavior: q is words in any order', async () => {
    for (const q of ['stocks+cushing', 'Cushing+stocks'])
      expect(await routesOf(`?q=${q}`)).toEqual(['petroleum/stoc/cu'])
  })

  test('behavior: of a repeated parameter the last counts, an empty one does not filter', async () => {
    expect(await routesOf('?family=nope&family=petroleum/stoc/cu')).toEqual(['petroleum/stoc/cu'])
    expect(await routesOf('?family=nope&family=&q=')).toHaveLength(232)
  })

  test('behavior: malformed encoding is matched literally', async () => {
    const seen: unknown[] = []
    const catalog = {
      ...builtInCatalog,
      searchDatasets: (filter: object) => {
        seen.push(filter)
        return []
      },
    }
    await ask(createTestApp({ catalog }), '/v1/datasets?q=%zz&family=%ff')
    expect(seen).toEqual([{ family: '%ff', q: '%zz' }])
  })

  test('behavior: the ETag names the catalog, and If-None-Match with it is a 304', async () => {
    const first = await ask(app, '/v1/datasets')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{16}"$/)
    const second = await ask(app, '/v1/datasets', { headers: { 'if-none-match': etag } })
    expect({ status: second.status, body: await second.text(), etag: second.headers.get('etag') }).toEqual({
      status: 304,
      body: '',
      etag,
    })
  })

  test('behavior: another answer has another ETag', async () => {
    const [dataset] = datasets
    if (dataset === undefined) throw new Error('the catalog is empty')
    const etags = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const catalog = { searchDatasets: () => [{ ...dataset, name }] }
        return (await ask(createTestApp({ catalog }), '/v1/datasets')).headers.get('etag')
      }),
    )
    expect(etags[0]).not.toBe(etags[1])
  })
})

/** The filter in a query. */
async function filterOf(query: string): Promise<unknown> {
  const asked: unknown[] = []
  const searchDatasets = (filter: object) => {
    asked.push(filter)
    return []
  }
  const { status } = await ask(createTestApp({ catalog: { searchDatasets } }), `/v1/datasets?${query}`)
  expect([status, asked.length]).toEqual([200, 1])
  return asked[0]
}

for (const [query, family, q] of [
  ['', '', ''],
  ['family=petroleum/&q=crude+oil', 'petroleum/', 'crude oil'],
  ['q=a&q=b', '', 'b'],
  ['q=a&q=', '', ''],
  ['q=a&q', '', ''],
  ['q=100%', '', '100%'],
  ['q=%zz+x', '', '%zz x'],
  ['q=%ff', '', '%ff'],
  ['q=%2B+%C3%A9', '', '+ é'],
  ['q=a=b', '', 'a=b'],
  ['%71=x&fam%69ly=y', 'y', 'x'],
  ['Q=a&other=b&q[]=c&toString=d&__proto__=e', '', ''],
  ['&&q=a&&', '', 'a'],
] as const)
  test(`default: ${query || 'nothing'}`, async () => expect(await filterOf(query)).toEqual({ family, q }))

test('behavior: any text is a query', () =>
  fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter }), async (query) => {
      expect(Object.keys(Object(await filterOf(query.replaceAll('#', ''))))).toEqual(['family', 'q'])
    }),
    { numRuns: 50 },
  ))
