import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { type ClientServer, startClientServer } from './clientServer.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const generator = join(root, 'scripts/packages/node_modules/@hey-api/openapi-ts/bin/run.js')
const isThere = existsSync(generator)

if (!isThere) {
  const reason = 'run "bun install --cwd scripts/packages --frozen-lockfile"'
  if (process.env.REQUIRE_PACKAGE_TOOLS === '1') throw new Error(`REQUIRE_PACKAGE_TOOLS=1: ${reason}`)
  console.warn(`skipped: a generated TypeScript client; ${reason}`)
}

/** A generated function. */
type Call = (options: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>

// tests/python/openapi.integration.test.ts has a client in Python.
describe.skipIf(!isThere)('a TypeScript client by @hey-api/openapi-ts', () => {
  let server: ClientServer
  let folder: Folder
  let sdk: Record<string, Call>

  beforeAll(async () => {
    server = await startClientServer()
    folder = createFolder()
    await Bun.write(`${folder.path}/openapi.json`, server.document)
    await Bun.write(`${folder.path}/tsconfig.json`, JSON.stringify(compilerOptions))
    const args = ['--input', 'openapi.json', '--output', 'client', '--client', '@hey-api/client-fetch']
    expect(await run([process.execPath, generator, ...args])).toMatchObject({ exitCode: 0 })
    sdk = await import(`${folder.path}/client/index.ts`)
  })
  afterAll(async () => {
    folder?.[Symbol.dispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const compilerOptions = {
    compilerOptions: {
      ...{ strict: true, noEmit: true, target: 'esnext', module: 'esnext', moduleResolution: 'bundler' },
      ...{ lib: ['esnext', 'dom', 'dom.iterable'], types: [] },
    },
    include: ['client'],
  }

  async function run(command: readonly string[]) {
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path }
    const child = Bun.spawn([...command], { cwd: folder.path, env, stdout: 'pipe', stderr: 'pipe' })
    const [exitCode, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode, stdout, stderr }
  }

  /** Calls a generated function, and returns the status and what it parsed. */
  async function call(name: string, options: object) {
    const { data, error, response } = (await sdk[name]?.({ baseUrl: server.url, ...options })) ?? {}
    return [response?.status, data ?? error] as const
  }

  const read = async (path: string) => [200, await (await fetch(server.url + path)).json()] as const

  test('default: it has a function for each operation, and compiles', async () => {
    expect(server.operationIds.filter((name) => typeof sdk[name] !== 'function')).toEqual([])
    expect(await run([join(root, 'node_modules/.bin/tsc'), '-p', '.'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('default: it reads feeds, a history and a series', async () => {
    const { feedId: id, series } = server
    const { query, facets } = series
    expect(await call('listFeeds', { query: { q: 'dataset' } })).toEqual(await read('/v1/feeds?q=dataset'))
    expect(await call('getFeed', { path: { id } })).toEqual(await read(`/v1/feeds/${id}`))
    expect(await call('getReadings', { query: { id: [id, 'NO'], fields: 'value' } })).toEqual(
      await read(`/v1/readings?id=${id}&id=NO&fields=value`),
    )
    expect(await call('getHistory', { path: { id }, query: { vintages: 'latest' } })).toEqual(
      await read(`/v1/feeds/${id}/history?vintages=latest`),
    )
    const path = `?${new URLSearchParams({ ...query, ...facets })}`
    expect(await call('getSeries', { query: { ...query, facets } })).toEqual(await read(`/v1/series${path}`))
    expect(await call('getSeriesProof', { query: { ...query, facets } })).toEqual(
      await read(`/v1/series/proof${path}`),
    )
  })

  test('error: a body of its own for what is absent', async () => {
    const { query, facets } = server.series
    expect(await call('getFeed', { path: { id: 'NO' } })).toEqual([
      404,
      { error: 'feed not found on-chain: NO' },
    ])
    expect(
      await call('getSeriesProof', { query: { ...query, facets: { ...facets, 'facet.product': 'NO' } } }),
    ).toEqual([404, expect.objectContaining({ error: expect.any(String), statement: 'no_series' })])
  })
})
