import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { searchDatasets } from '@wattfeed/eia/catalog'
import manifest from '../../../package.json' with { type: 'json' }
import { nameSchemas } from '../../../src/server/docs/openapi.ts'
import { apiSchemas } from '../../../src/server/http/apiDocs.ts'
import { ask, createTestApp } from '../testApp.ts'

interface Content {
  schema: { $ref?: string; type?: string }
  example: unknown
}

interface Operation {
  operationId: string
  summary: string
  parameters?: {
    name: string
    in: string
    required: boolean
    description?: string
    schema: { type?: string }
  }[]
  responses: Record<string, { description: string; content?: Record<string, Content>; headers?: object }>
}

interface OpenapiDocument {
  openapi: string
  info: { title: string; version: string; license?: object }
  paths: Record<string, Record<string, Operation>>
  externalDocs?: object
  security: unknown
  components: { schemas: Record<string, { examples?: unknown[] }> }
}

const app = createTestApp()
const document: OpenapiDocument = await (await ask(app, '/openapi/json')).json()
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

describe('GET /openapi/json', () => {
  test('default: names the service, its version and its license', () => {
    expect({ ...document.info, openapi: document.openapi }).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      title: 'wattfeed',
      version: manifest.version,
      license: { name: manifest.license, identifier: manifest.license },
    })
  })

  test('default: every endpoint with the statuses it answers', () => {
    expect(
      operations.map(({ path, method, operation }) => [
        method,
        path,
        Object.keys(operation.responses).join(' '),
      ]),
    ).toEqual([
      ['get', '/', '200 412'],
      ['get', '/v1/feeds', '200 400 412 500 502'],
      ['get', '/v1/feeds.csv', '200 206 400 412 416 500 502'],
      ['get', '/v1/feeds.csv-metadata.json', '200 400 412'],
      ['get', '/v1/feeds/{id}', '200 400 404 412 500 502'],
      ['get', '/v1/readings', '200 400 412 500 502'],
      ['get', '/v1/recent', '200 400 412 500 502'],
      ['get', '/v1/feeds.proof', '200 400 412 429 500 502'],
      ['get', '/v1/feeds/{id}/proof', '200 400 404 412 429 500 501 502'],
      ['get', '/v1/feeds/{id}/history.proof', '200 400 404 412 429 500 502'],
      ['get', '/v1/feeds/{id}/history/{index}/proof', '200 400 404 412 429 500 502'],
      ['get', '/v1/feeds/{id}/provenance', '200 400 404 412 500 502'],
      ['get', '/v1/feeds/{id}/attester', '200 400 404 412 500 501 502'],
      ['get', '/v1/feeds/{id}/history/{index}/transaction', '200 400 404 412 429 500 501 502'],
      ['get', '/v1/feeds/{id}/history', '200 400 404 409 412 429 500 502 503'],
      ['get', '/v1/feeds/{id}/history.csv', '200 206 400 404 409 412 416 429 500 502 503'],
      ['get', '/v1/feeds/{id}/history.parquet', '200 206 400 404 409 412 416 429 500 502 503'],
      ['get', '/v1/feeds/{id}/history.csv-metadata.json', '200 400 404 412 500 502'],
      ['get', '/v1/history.csv', '200 206 400 404 412 416 429 500 502 503'],
      ['get', '/v1/history.parquet', '200 206 400 404 412 416 429 500 502 503'],
      ['get', '/v1/history.csv-metadata.json', '200 400 412'],
      ['get', '/v1/feeds/{id}/chart.svg', '200 400 404 412 429 500 502 503'],
      ['get', '/v1/feeds/{id}/chart.png', '200 400 404 412 429 500 502 503'],
      ['get', '/oembed', '200 400 404 412 500 501 502'],
      ['get', '/v1/status', '200 400 500 502'],
      ['get', '/v1/feeds/{id}/status', '200 400 404 500 502'],
      ['get', '/v1/calendar', '200 400 404 412 429 500 502'],
      ['get', '/calendar.ics', '200 400 404 412 500 502'],
      ['get', '/feed.atom', '200 400 404 412 429 500 502'],
      ['get', '/v1/stream', '200 400 500 502 503'],
      ['get', '/v1/datasets', '200 400 412 500'],
      ['get', '/v1/datasets/attested', '200 400 412 500 502'],
      ['get', '/v1/datasets/codes', '200 400 404 412 500 502 503'],
      ['get', '/v1/series', '200 400 404 410 412 500 502 503'],
      ['get', '/v1/series/proof', '200 400 404 410 412 429 500 502 503'],
      ['get', '/v1/series/history', '200 400 404 410 412 500 502 503'],
      ['get', '/v1/series/history.csv', '200 206 400 404 410 412 416 500 502 503'],
      ['get', '/v1/series/history.parquet', '200 206 400 404 410 412 416 500 502 503'],
      ['get', '/v1/series/history.csv-metadata.json', '200 400 404 412'],
      ['get', '/v1/series/history/proof', '200 400 404 410 412 429 500 502 503'],
      ['get', '/v1/series/revisions', '200 400 404 412 500 502 503'],
      ['get', '/v1/series/table', '200 400 404 410 412 429 500 502 503'],
      ['get', '/v1/series/table.csv', '200 206 400 404 410 412 416 429 500 502 503'],
      ['get', '/v1/series/table.parquet', '200 206 400 404 410 412 416 429 500 502 503'],
      ['get', '/v1/series/table.csv-metadata.json', '200 400 404 410 412 429 500 502 503'],
      ['get', '/datapackage.json', '200 400 404 412 500 502'],
      ['get', '/dcat.jsonld', '200 400 404 412 500 502'],
      ['get', '/health', '200 412'],
      ['get', '/ready', '200 412 503'],
      ['get', '/metrics', '200'],
    ])
  })

  test('default: every operation has a unique name', () => {
    expect(operations.map(({ operation }) => operation.operationId)).toEqual([
      'listEndpoints',
      'listFeeds',
      'listFeedsCsv',
      'listFeedsMetadata',
      'getFeed',
      'getReadings',
      'getRecent',
      'getFeedsProof',
      'getFeedProof',
      'getCompleteHistoryProof',
      'getHistoryProof',
      'getProvenance',
      'getAttester',
      'getTransaction',
      'getHistory',
      'getHistoryCsv',
      'getHistoryParquet',
      'getHistoryMetadata',
      'getHistoriesCsv',
      'getHistoriesParquet',
      'getHistoriesMetadata',
      'getChartSvg',
      'getChartPng',
      'getOembed',
      'listStatus',
      'getStatus',
      'getCalendar',
      'getIcalendar',
      'getAtomFeed',
      'streamEvents',
      'listDatasets',
      'listAttestedDatasets',
      'listCodes',
      'getSeries',
      'getSeriesProof',
      'getSeriesHistory',
      'getSeriesHistoryCsv',
      'getSeriesHistoryParquet',
      'getSeriesHistoryMetadata',
      'getSeriesHistoryProof',
      'getSeriesRevisions',
      'getSeriesTable',
      'getSeriesTableCsv',
      'getSeriesTableParquet',
      'getSeriesTableMetadata',
      'getDataPackage',
      'getDcat',
      'getHealth',
      'getReadiness',
      'getMetrics',
    ])
  })

  test('default: the schemas are those that answers are checked against, by name', () => {
    expect(document.components.schemas).toEqual(Object(nameSchemas(apiSchemas)))
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(Object.keys(apiSchemas)))
  })

  test('behavior: what has a title is a schema of its own, and constants are one `enum`', () => {
    const closed = { additionalProperties: false }
    const inner = Type.Object({ title: Type.String() }, { ...closed, title: 'Inner' })
    const kind = Type.Union([Type.Literal('a'), Type.Literal('b')], { description: 'x' })
    const one = Type.Literal('c')
    const outer = Type.Object({
      inner,
      either: Type.Union([inner, Type.Null()]),
      kind,
      kindOrNull: Type.Union([Type.Null(), ...kind.anyOf]),
      one,
      byName: Type.Record(Type.String(), inner),
    })
    const examples = [{ inner: { title: 'text' } }]
    const reference = { $ref: '#/components/schemas/Inner' }
    const values = { type: 'string', enum: ['a', 'b'] }
    expect(nameSchemas({ Outer: { ...outer, examples } })).toEqual({
      Outer: {
        type: 'object',
        properties: {
          inner: reference,
          either: { anyOf: [reference, { type: 'null' }] },
          kind: { ...values, description: 'x' },
          kindOrNull: { anyOf: [values, { type: 'null' }] },
          one: { type: 'string', const: 'c' },
          byName: { type: 'object', additionalProperties: reference },
        },
        required: Object.keys(outer.properties),
        examples,
      },
      Inner: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'], ...closed },
    })
  })

  test('default: every object of a union has a name, for generators of clients', () => {
    const anonymous: string[] = []
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { anyOf = [] } = value as { anyOf?: { type?: string; items?: { type?: string } }[] }
      for (const { type, items } of anyOf)
        if (type === 'object' || items?.type === 'object') anonymous.push(path)
      for (const [name, each] of Object.entries(value)) look(each, `${path}/${name}`)
    }
    look(document.components.schemas, '')
    expect(anonymous).toEqual([])
  })

  test('default: no operation needs a key; other documentation has an absolute address, or none', async () => {
    expect([document.security, document.externalDocs]).toEqual([[], undefined])
    const published = createTestApp({ publicUrl: 'https://feeds.example.com' })
    expect((await (await ask(published, '/openapi/json')).json()).externalDocs).toEqual({
      url: 'https://feeds.example.com/explorer',
      description: 'The explorer: browse the feeds and check their proofs',
    })
  })

  test('default: facets are a parameter', () => {
    for (const path of ['/v1/series', '/v1/series/proof', '/v1/series/history', '/v1/series/history.csv']) {
      const facets = document.paths[path]?.get?.parameters?.find(({ name }) => name === 'facets')
      // The defaults of OpenAPI, `style: form` and `explode: true`, send each member by its own name.
      expect(facets).toMatchObject({
        in: 'query',
        required: false,
        schema: {
          type: 'object',
          additionalProperties: { type: 'string' },
          propertyNames: { pattern: '^facet\\.' },
        },
      })
      expect(Object.keys(facets ?? {})).not.toContain('style')
    }
  })

  test('default: a 404 describes its causes', () => {
    expect(document.paths['/v1/feeds/{id}']?.get?.responses[404]?.description).toBe(
      'The feed is not registered, has no value, or has no value at `index`. A failing node never causes a 404.',
    )
  })

  test('default: the id is a string, and its decoding is described', () => {
    const [id] = document.paths['/v1/feeds/{id}']?.get?.parameters ?? []
    expect(id).toMatchObject({
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string', description: expect.stringContaining('percent-encoded UTF-8') },
    })
  })

  test('default: the example of /v1/datasets is an answer of the catalog', async () => {
    const [example] = document.components.schemas.Datasets?.examples ?? []
    expect(searchDatasets({ family: 'petroleum/', q: 'cushing' })).toHaveLength(1)
    expect(await (await ask(app, '/v1/datasets?family=petroleum/&q=cushing')).json()).toEqual(example)
  })

  for (const { path, operation } of operations) {
    test(`default: ${path} has a summary, and every body an example that fits its schema`, () => {
      expect(operation.summary).not.toBe('')
      for (const { content = {} } of Object.values(operation.responses)) {
        for (const { schema, example } of Object.values(content)) {
          const name = schema.$ref?.replace('#/components/schemas/', '') ?? ''
          const known = apiSchemas[name]
          if (known === undefined)
            expect([name, typeof example]).toEqual(['', expect.stringMatching(/string|object/)])
          else
            for (const each of known.examples ?? [])
              expect([name, ...Value.Errors(known, each)]).toEqual([name])
        }
      }
    })

    test(`behavior: the answers of ${path} match the document`, async () => {
      const query = ['/v1/readings', '/v1/recent'].includes(path) ? '?id=EIA.NG.PRICE.HENRYHUB.DAILY' : ''
      const response = await ask(app, path.replace('{id}', 'EIA.NG.PRICE.HENRYHUB.DAILY') + query)
      const documented = operation.responses[response.status]
      expect(Object.keys(documented?.content ?? {})).toEqual([
        (response.headers.get('content-type') ?? '').split(';')[0] ?? '',
      ])
      for (const name of Object.keys(documented?.headers ?? {}))
        expect([name, response.headers.has(name)]).toEqual([name, true])
    })
  }
})

describe('GET /openapi', () => {
  test('default: the page loads its script and style from this server', async () => {
    const response = await ask(app, '/openapi')
    expect(response.headers.get('content-type')).toStartWith('text/html')
    const page = await response.text()
    const asked = [...page.matchAll(/<(?:link rel="stylesheet"|script) (?:src|href)="([^"]*)"/g)].map(
      ([, url]) => url ?? '',
    )
    expect(asked).toEqual(['/openapi/swagger-ui.css', '/openapi/swagger-ui-bundle.js'])
    expect(page).not.toMatch(/https?:\/\//)
    for (const [index, type] of ['text/css; charset=utf-8', 'text/javascript; charset=utf-8'].entries()) {
      const asset = await ask(app, asked[index] ?? '')
      expect([asset.status, asset.headers.get('content-type')]).toEqual([200, type])
      expect((await asset.text()).length).toBeGreaterThan(100_000)
    }
  })
})
