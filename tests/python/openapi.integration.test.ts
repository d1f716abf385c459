import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { startClientServer } from '../server/docs/clientServer.ts'
import { type DataServer, FEED, HOURLY_FEED, startDataServer } from './dataServer.ts'
import { hasPython, openPython, type Python } from './python.ts'

setDefaultTimeout(600_000)

let server: DataServer
let python: Python

beforeAll(async () => {
  if (!hasPython) return
  python = await openPython()
  server = await startDataServer(12)
})

afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await python?.[Symbol.asyncDispose]()
})

const readDocument = async (): Promise<Record<string, unknown>> =>
  Object(await (await fetch(`${server.url}/openapi/json`)).json())

// tests/server/docs/openapiDocument.test.ts asks a validator of npm.
describe.skipIf(!hasPython)('the OpenAPI document', () => {
  /** Validates by openapi-spec-validator of PyPI. */
  async function validate(document: object) {
    await Bun.write(join(python.folder, 'openapi.json'), JSON.stringify(document))
    return python.tool('openapi-spec-validator', ['openapi.json'])
  }

  test('default: is valid to a validator of PyPI, which finds a fault', async () => {
    const document = await readDocument()
    expect(await validate(document)).toMatchObject({ exitCode: 0, stdout: 'openapi.json: OK\n' })
    expect((await validate({ ...document, paths: { '/': { get: { responses: 7 } } } })).exitCode).toBe(1)
  })
})

// tests/server/docs/generatedClient.integration.test.ts has a client in TypeScript.
describe.skipIf(!hasPython)('a Python client by openapi-python-client', () => {
  const config = {
    // Programs that format the code.
    post_hooks: [],
    // It knows no other types of files.
    content_type_overrides: {
      'application/atom+xml': 'text/plain',
      'application/vnd.apache.parquet': 'application/octet-stream',
      'image/png': 'application/octet-stream',
      'image/svg+xml': 'text/plain',
    },
  }

  test('default: every function imports; those of feeds, histories and series read', async () => {
    await using clients = await startClientServer()
    const { url, document, operationIds, feedId, series } = clients
    await Bun.write(join(python.folder, 'clients.json'), document)
    await Bun.write(join(python.folder, 'config.json'), JSON.stringify(config))
    const options = ['--path', 'clients.json', '--output-path', 'client', '--config', 'config.json']
    const made = await python.tool('openapi-python-client', [
      ...['generate', '--meta', 'none', '--fail-on-warning', ...options],
    ])
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    const script = await Bun.file(new URL('generated_client.py', import.meta.url)).text()
    const args = ['-c', script, url, feedId, JSON.stringify(series.facets)]
    const { exitCode, stdout, stderr } = await python.run(args, JSON.stringify(series.query))
    expect([exitCode, stderr]).toEqual([0, ''])
    const { functions, ...answers } = JSON.parse(stdout)
    const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    expect(functions.toSorted()).toEqual(operationIds.map(snakeCase).toSorted())
    const ofSeries = (changes = {}) =>
      new URLSearchParams({ ...series.query, ...series.facets, ...changes }).toString()
    const paths = {
      feeds: '/v1/feeds?q=dataset',
      feed: `/v1/feeds/${feedId}`,
      missing: '/v1/feeds/NO',
      readings: `/v1/readings?id=${feedId}&id=NO&fields=value`,
      history: `/v1/feeds/${feedId}/history?vintages=latest`,
      series: `/v1/series?${ofSeries()}`,
      proof: `/v1/series/proof?${ofSeries()}`,
      absence: `/v1/series/proof?${ofSeries({ 'facet.product': 'NO' })}`,
      unknown: `/v1/series/proof?${ofSeries({ 'facet.product': 'NO', route: 'a/b' })}`,
    }
    for (const [name, path] of Object.entries(paths))
      expect([name, answers[name]]).toEqual([name, await (await fetch(url + path)).json()])
  })
})

describe.skipIf(!hasPython)('the metadata of a CSV', () => {
  const validate = (url: string) => python.tool('csvwvalidate', [url])
  const address = () => `${server.url}/v1/feeds/${FEED}/history.csv`

  test('default: is valid, and describes the CSV', async () => {
    const table = `${server.url}/v1/history.csv?id=${FEED}&id=${HOURLY_FEED}`
    const hours = `${server.url}/v1/feeds/${HOURLY_FEED}/history.csv`
    const metadata = `${address()}-metadata.json`
    for (const url of [address(), metadata, `${metadata}?vintages=first`, hours, table])
      expect([url, await validate(url)]).toEqual([url, { exitCode: 0, stdout: 'OK\n', stderr: '' }])
  })

  test('error: the validator finds values of another type', async () => {
    const metadata = await (await fetch(`${address()}-metadata.json`)).text()
    await Bun.write(join(python.folder, 'history.csv'), await (await fetch(address())).text())
    await Bun.write(
      join(python.folder, 'history.csv-metadata.json'),
      metadata.replace('"datatype":"double"', '"datatype":"date"'),
    )
    expect((await validate('history.csv-metadata.json')).exitCode).not.toBe(0)
  })
})

describe.skipIf(!hasPython)('schemathesis', () => {
  /** Only given ids, because a generated id is not a feed's. */
  const known = `
[parameters]
"path.id" = "${FEED}"
"path.index" = 3
`

  test.each([
    ['any id', ''],
    ['the id of a feed', known],
  ])('default: with %s, no endpoint answers 500 or 502', async (_, parameters) => {
    const config = `seed = 16\ngeneration.database = "none"\n${parameters}\n[phases.stateful]\nenabled = false\n`
    await Bun.write(join(python.folder, 'schemathesis.toml'), config)
    const before = await countAnswers()
    const { exitCode, stdout, stderr } = await python.tool('schemathesis', [
      ...['--no-color', 'run', `${server.url}/openapi/json`],
      // Its phase "coverage" tries each parameter with each kind of value: some 1,800 requests. Random ones add little.
      ...['--checks', 'not_a_server_error', '--max-examples', '5'],
      // A stream does not end.
      ...['--exclude-path', '/v1/stream'],
    ])
    expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
    const after = await countAnswers()
    expect([...after.keys()].filter((key) => / 5\d\d$/.test(key))).toEqual([])
    const paths = Object.keys(Object((await readDocument()).paths)).filter((path) => path !== '/v1/stream')
    const asked = (path: string): number => {
      const endpoint = path.replace(/\{(\w+)\}/g, ':$1')
      const total = (counts: ReadonlyMap<string, number>): number =>
        [...counts].reduce((sum, [key, count]) => (key.startsWith(`${endpoint} `) ? sum + count : sum), 0)
      return total(after) - total(before)
    }
    expect(paths.length).toBeGreaterThan(15)
    expect(paths.filter((path) => asked(path) === 0)).toEqual([])
    if (parameters !== '') expect(after.get('/v1/feeds/:id/history 200')).toBeGreaterThan(0)
  })

  /** How many answers there were, by endpoint and status. */
  async function countAnswers(): Promise<ReadonlyMap<string, number>> {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    const counts = new Map<string, number>()
    const pattern = /seconds_count\{endpoint="([^"]+)",method="\w+",status="(\d+)"\} (\d+)/g
    for (const [, endpoint, status, count] of text.matchAll(pattern)) {
      const key = `${endpoint} ${status}`
      counts.set(key, (counts.get(key) ?? 0) + Number(count))
    }
    return counts
  }
})
