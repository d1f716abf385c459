import { expect, test } from 'bun:test'
import { readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

interface Parameter {
  name: string
  in: string
  schema: { type?: string }
}

// The endpoints of series are off without a place of snapshots.
const app = createTestApp({ datasets: [{ read: async () => null }] })
const { paths } = Object(await (await ask(app, '/openapi/json')).json()) as {
  paths: Record<string, { get?: { parameters?: Parameter[] } }>
}

const specified = ['/v1/feeds', '/v1/feeds/{id}', '/v1/datasets', '/health']

const singles = Object.entries(paths).flatMap(([path, { get }]) =>
  (get?.parameters ?? [])
    .filter((each) => each.in === 'query' && !['array', 'object'].includes(each.schema.type ?? ''))
    .map(({ name }) => ({ path, name, url: path.replace('{id}', 'A').replace('{index}', '0') })),
)

const strict = singles.filter(({ path }) => !specified.includes(path))

test('default: the document names every endpoint with a parameter that takes one value', () => {
  const names = [...new Set(strict.map(({ path }) => path))].sort()
  expect(names).toEqual([
    '/oembed',
    '/v1/datasets/codes',
    '/v1/feeds.csv',
    '/v1/feeds.csv-metadata.json',
    '/v1/feeds.proof',
    '/v1/feeds/{id}/chart.png',
    '/v1/feeds/{id}/chart.svg',
    '/v1/feeds/{id}/history',
    '/v1/feeds/{id}/history.csv',
    '/v1/feeds/{id}/history.csv-metadata.json',
    '/v1/feeds/{id}/history.parquet',
    '/v1/feeds/{id}/history.proof',
    '/v1/feeds/{id}/history/{index}/proof',
    '/v1/feeds/{id}/proof',
    '/v1/feeds/{id}/provenance',
    '/v1/history.csv',
    '/v1/history.csv-metadata.json',
    '/v1/history.parquet',
    '/v1/readings',
    '/v1/recent',
    '/v1/series',
    '/v1/series/history',
    '/v1/series/history.csv',
    '/v1/series/history.csv-metadata.json',
    '/v1/series/history.parquet',
    '/v1/series/history/proof',
    '/v1/series/proof',
    '/v1/series/revisions',
    '/v1/series/table',
    '/v1/series/table.csv',
    '/v1/series/table.csv-metadata.json',
    '/v1/series/table.parquet',
    '/v1/stream',
  ])
})

test.each(strict)(
  'error: $path?$name= takes one value, so two are a 400 that says so',
  async ({ url, name }) => {
    expect(await answerOf(app, `${url}?${name}=1&${name}=2`)).toEqual({
      status: 400,
      body: { error: `${name}=2: it takes one value; pass it only once` },
    })
  },
)

test('error: so does a page that the document leaves out', async () => {
  const response = await ask(app, '/embed/feeds/A?theme=dark&theme=dark')
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('theme=dark: it takes one value; pass it only once'),
  ])
})

const times = ['as_of', 'period', 'period_from', 'period_to', 'vintages']
const newestOnly = specified.filter((path) => path !== '/health')

test.each(newestOnly.flatMap((path) => times.map((name) => ({ path, name }))))(
  'error: $path?$name= would select another time, which only other endpoints have',
  async ({ path, name }) => {
    const url = path.replace('{id}', readingOf().feed_id)
    for (const sent of [name, name.toUpperCase(), `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`]) {
      const { status, body } = await answerOf(app, `${url}?q=a&x=%ff&${sent.replace('_', '%5F')}`)
      expect([status, body.error]).toEqual([
        400,
        expect.stringMatching(
          new RegExp(`^unknown query parameter "${sent}"; this endpoint .* /v1/\\S+ takes ${name}`),
        ),
      ])
    }
  },
)

test.each(specified)('behavior: %s ignores what only looks like another time', async (path) => {
  const url = path.replace('{id}', readingOf().feed_id)
  const names = ['as-of', 'as_of[]', 'period_', 'periods', ' period', 'vintage', 'limit', 'utm_source', '%ff']
  const plain = await (await ask(app, url)).text()
  for (const name of names) {
    const other = await ask(app, `${url}?${name.replace(' ', '+')}=2026-11-01`)
    expect([name, other.status, await other.text()]).toEqual([name, 200, plain])
  }
})

test('behavior: /health ignores parameters of another time', async () => {
  for (const name of times) expect((await ask(app, `/health?${name}=2026`)).status).toBe(200)
})

test.each(specified)(
  'behavior: %s, which the specification has, answers a repeated parameter',
  async (path) => {
    const url = path.replace('{id}', readingOf().feed_id)
    const [plain, other] = [await ask(app, url), await ask(app, `${url}?family=x&family=&x=1&x=%ff`)]
    expect([plain.status, other.status]).toEqual([200, 200])
    expect(await other.text()).toBe(await plain.text())
  },
)
