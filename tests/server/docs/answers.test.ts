import { afterAll, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import type { AnyElysia } from 'elysia'
import { apiSchemas } from '../../../src/server/http/apiDocs.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { inventDataset, inventLeaves, ROUTE } from '../series/inventedDataset.ts'
import { ask, createTestApp, TestChainError } from '../testApp.ts'

interface Answer {
  content?: Record<string, { schema?: { $ref?: string } }>
  headers?: object
}

interface Operation {
  parameters?: { name: string }[]
  responses: Record<string, Answer>
}

const dataset = await inventDataset([inventLeaves(['EPCWTI'], 3)])
afterAll(() => dataset[Symbol.dispose]())

const fake = createFakeClient()
// The registries of the dataset, and the fake client's feeds.
const client = { ...fake, ...dataset.client }
const datasets = [dataset.place]
const renderPicture = async () => new Uint8Array()
const failing = (failure: Error) => {
  const fail = () => Promise.reject(failure)
  return createTestApp({
    renderPicture,
    client: createFakeClient({
      snapshot: fail,
      getReading: fail,
      getFeedsProof: fail,
      getFeedProof: fail,
      getHistoryProof: fail,
      getTransaction: fail,
    }),
  })
}

const apps: Readonly<Record<string, AnyElysia>> = {
  'a server': createTestApp({ renderPicture }),
  'a server that knows its address': createTestApp({ renderPicture, publicUrl: 'https://feeds.example.com' }),
  'a server of datasets': createTestApp({ renderPicture, client, datasets }),
  'a server without the files of datasets': createTestApp({
    renderPicture,
    client,
    datasets: [{ read: async () => null }],
  }),
  'a server without nodes': failing(new TestChainError('all_nodes_failed', true)),
  'a server with a defect': failing(new TypeError('secret')),
}

const [plain] = Object.values(apps)
const { paths } = Object(
  await (await ask(plain ?? createTestApp({ renderPicture }), '/openapi/json')).json(),
) as {
  paths: Record<string, { get: Operation }>
}

const id = readingOf().feed_id
const series = {
  route: ROUTE,
  frequency: 'weekly',
  column: 'value',
  'facet.area': 'NUS',
  'facet.product': 'EPCWTI',
}

/** The queries of an endpoint: one that it takes, and others that it refuses or has no answer for. */
function queriesOf(path: string): readonly string[] {
  if (path.startsWith('/v1/series/history'))
    return [
      {},
      { limit: '1' },
      { 'facet.product': 'NOPE' },
      { index: '9' },
      { route: 'a/b' },
      { order: 'x' },
    ].map((changes) => `?${new URLSearchParams({ ...series, ...changes })}`)
  if (path.startsWith('/v1/series'))
    return [{}, { 'facet.product': 'NOPE' }, { period: '1999-01-01' }, { route: 'a/b' }, { column: 'x' }].map(
      (changes) => `?${new URLSearchParams({ ...series, ...changes })}`,
    )
  if (path === '/v1/datasets/codes')
    return [{}, { q: 'wti' }, { facet: 'x' }, { route: 'a/b' }].map(
      (changes) =>
        `?${new URLSearchParams({ route: ROUTE, frequency: 'weekly', facet: 'product', ...changes })}`,
    )
  const ids = `?id=${id}&id=nope`
  if (path === '/oembed') return [`?url=https://feeds.example.com/explorer/feeds/${id}`, '?url=x', '']
  if (/^\/v1\/(readings|recent|history)/.test(path)) return [ids, `?id=${id}`, '']
  return ['', '?as_of=1', `?id=${id}`, '?pin=0123456789abcdef&to=1']
}

function requestsOf(path: string): { url: string; headers: Record<string, string> }[] {
  const [usual = '', ...others] = queriesOf(path)
  const at = (feed: string, index: string) => path.replace('{id}', feed).replace('{index}', index)
  const places = path.includes('{id}') ? [at('nope', '0'), at(id, '999'), at(id, 'x')] : []
  return [
    ...[usual, ...others].map((query) => ({ url: at(id, '0') + query, headers: {} })),
    ...places.map((place) => ({ url: place + usual, headers: {} })),
    { url: at(id, '0') + usual, headers: { 'if-match': '"0"' } },
    { url: at(id, '0') + usual, headers: { range: 'bytes=9999999-' } },
  ]
}

for (const [what, app] of Object.entries(apps))
  test(`default: ${what} answers as the document says, errors included`, async () => {
    const seen = new Set<number>()
    const faults: string[] = []
    for (const [path, { get }] of Object.entries(paths)) {
      if (path === '/v1/stream') continue
      for (const { url, headers } of requestsOf(path)) {
        const response = await ask(app, url, { headers })
        const { status } = response
        seen.add(status)
        const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
        const { content = {} } = get.responses[status] ?? {}
        if (Object.keys(content).join() !== type) faults.push(`${url} ${status} ${type}`)
        const name = content[type]?.schema?.$ref?.replace('#/components/schemas/', '')
        const schema = apiSchemas[name ?? '']
        if (schema === undefined) continue
        const fault = Value.Errors(schema, await response.json()).First()
        if (fault) faults.push(`${url} ${status} ${name}${fault.path}: ${fault.message}`)
      }
    }
    expect(faults).toEqual([])
    expect(seen.size).toBeGreaterThan(2)
  })
