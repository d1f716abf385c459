import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import type { Daemon } from '../support/daemon.ts'
import { nextLook } from '../support/nextLook.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { hasVarnish, nginxSite, startVarnish, varnishConfig, varnishCounter } from './support/proxies.ts'
import { type RecordingServer, startServer } from './support/servers.ts'

/** Enough feeds to make a table long enough for compression. */
const FEEDS = 30

/** A proxy and the servers behind it. */
interface Proxied extends AsyncDisposable {
  readonly proxy: Daemon
  readonly servers: readonly RecordingServer[]
  readonly chain: ReturnType<typeof createSyntheticChain>
  /** Sends a request through the proxy, and keeps compressed bodies compressed. */
  ask(path: string, init?: RequestInit): Promise<Response>
}

type Start = (ports: readonly number[]) => Promise<Daemon[]>

// Like a site that is already configured for other services.
const compresses = 'gzip_types *; gzip_proxied any; gzip_min_length 1;'

const behindNginx: Start = async (ports) => {
  const servers = ports.map((port) => `127.0.0.1:${port}`)
  return [await startNginx((listen) => `${compresses}\n${nginxSite({ listen, servers })}`)]
}

const behindVarnish: Start = async (servers) => [
  await startVarnish(varnishConfig({ servers, probeIntervalS: 0.2 })),
]

const behindBoth: Start = async (ports) => {
  const [varnish] = await behindVarnish(ports)
  if (varnish === undefined) throw new Error('Varnish was not started')
  const servers = ports.map((port) => `127.0.0.1:${port}`)
  const nginx = await startNginx((listen) =>
    nginxSite({ listen, servers, reads: [`unix:${varnish.socket}`] }),
  )
  return [nginx, varnish]
}

async function open(start: Start, options: { cacheMaxAgeS?: number; count?: number } = {}): Promise<Proxied> {
  const chain = createSyntheticChain({ feeds: FEEDS })
  const servers = Array.from({ length: options.count ?? 2 }, () => startServer(chain, options))
  const daemons = await start(servers.map(({ port }) => port))
  const [proxy] = daemons
  if (proxy === undefined) throw new Error('no proxy was started')
  return {
    proxy,
    servers,
    chain,
    ask: (path, init) =>
      fetch(`http://wattfeed.test${path}`, { unix: proxy.socket, decompress: false, ...init }),
    async [Symbol.asyncDispose]() {
      for (const each of [...daemons, ...servers]) await each[Symbol.asyncDispose]()
    },
  }
}

/** Behavior that is the same behind every proxy. */
async function whole(response: Response) {
  const names = [
    'cache-control',
    'content-encoding',
    'content-type',
    'etag',
    'vary',
    'access-control-allow-origin',
  ]
  const headers = [...names, 'x-casper-state-root', 'x-wattfeed-version', 'content-length', 'link']
  return {
    status: response.status,
    headers: Object.fromEntries(headers.map((name) => [name, response.headers.get(name) ?? undefined])),
    body: Buffer.from(await response.bytes()).toString('base64'),
  }
}

/** Varnish drops a stream of a dead server until it notices; clients reconnect. */
async function answered(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask().catch(() => null)
    if (response !== null) return response
    await nextLook()
  }
}

const requestsTo = (servers: readonly RecordingServer[]): Request[] =>
  servers.flatMap(({ requests }) => requests)

const list = `/v1/readings?${Array.from({ length: 100 }, (_, index) => `id=${'%41'.repeat(30)}${index}`).join('&')}`

describe.each([
  ['nginx', behindNginx, hasNginx],
  ['Varnish', behindVarnish, hasVarnish],
  ['nginx and Varnish', behindBoth, hasNginx && hasVarnish],
] as const)('behind %s', (_, start, isInstalled) => {
  let world: Proxied
  beforeAll(async () => {
    if (isInstalled) world = await open(start)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.skipIf(!isInstalled)('default: an answer is identical in every coding', async () => {
    const [server] = world.servers
    for (const path of [
      '/v1/feeds',
      '/v1/feeds.csv',
      `/v1/feeds/${syntheticFeedId(3)}`,
      '/v1/feeds/NOPE',
      list,
      '/',
    ])
      for (const coding of ['identity', 'gzip', 'gzip, deflate, br, zstd']) {
        const headers = { 'accept-encoding': coding }
        const url = `http://127.0.0.1:${server?.port}${path}`
        const expected = await whole(await fetch(url, { headers, decompress: false }))
        expect([path, coding, await whole(await world.ask(path, { headers }))]).toEqual([
          path,
          coding,
          expected,
        ])
        if (expected.headers.etag === undefined) continue
        const held = { ...headers, 'if-none-match': String(expected.headers.etag) }
        const unchanged = await world.ask(path, { headers: held })
        expect([path, unchanged.status, unchanged.headers.get('etag') ?? undefined]).toEqual([
          path,
          304,
          expected.headers.etag,
        ])
      }
  })

  test.skipIf(!isInstalled)('behavior: HEAD and Range refer to the uncompressed table', async () => {
    const headers = { 'accept-encoding': 'br' }
    const table = await (await world.ask('/v1/feeds.csv')).text()
    const head = await world.ask('/v1/feeds.csv', { method: 'HEAD', headers })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(table.length)])
    const part = await world.ask('/v1/feeds.csv', { headers: { ...headers, range: 'bytes=10-19' } })
    expect([part.status, await part.text()]).toEqual([206, table.slice(10, 20)])
  })

  test.skipIf(!isInstalled)('default: a stream gets every event at once, uncompressed', async () => {
    const response = await world.ask('/v1/stream', { headers: { 'accept-encoding': 'gzip, br' } })
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const read = async (end: string): Promise<void> => {
      while (!text.includes(end)) text += (await reader?.read())?.value ?? ''
    }
    await read(`.a${FEEDS}\n\n`)
    for (const amount of [7n, 8n, 9n]) {
      world.chain.attest(syntheticFeedId(0), { amount })
      world.chain.advance()
      await read(`"amount":"${amount}",`)
    }
    await reader?.cancel()
  })

  test.skipIf(!isInstalled)('behavior: streams are spread over the servers', async () => {
    const controller = new AbortController()
    const { signal } = controller
    for (let stream = 0; stream < 12; stream++)
      expect((await world.ask('/v1/stream', { signal })).status).toBe(200)
    expect(world.servers.map(({ requests }) => requests.length > 0)).toEqual([true, true])
    controller.abort()
  })

  test.skipIf(!isInstalled)('behavior: the server receives the address of the client', async () => {
    await world.ask('/v1/feeds', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    const told = requestsTo(world.servers).map(({ headers }) => headers.get('x-forwarded-for'))
    expect(told).toContainEqual(expect.stringMatching(/^203\.0\.113\.9, ./))
  })

  test.skipIf(!isInstalled)('behavior: the server receives the host with its port', async () => {
    await world.ask('/v1/feeds', { headers: { host: 'wattfeed.test:8080' } })
    const hosts = requestsTo(world.servers).map(({ headers }) => headers.get('host'))
    expect(hosts).toContain('wattfeed.test:8080')
  })

  test.skipIf(!isInstalled)('error: purges and metrics are rejected', async () => {
    for (const method of ['PURGE', 'POST', 'DELETE'])
      expect([method, (await world.ask('/v1/feeds', { method })).status]).toEqual([method, 405])
    expect((await world.ask('/v1/feeds', { method: 'OPTIONS' })).status).toBe(204)
    expect((await world.ask('/metrics')).status).toBe(404)
  })

  test.skipIf(!isInstalled)('behavior: with a server that died, no read and no stream fails', async () => {
    await using world = await open(start)
    const paths = Array.from({ length: FEEDS }, (_, index) => `/v1/feeds/${syntheticFeedId(index)}`)
    const readAll = () =>
      Promise.all(
        [...paths, ...paths.map((path) => `${path}/history`)].map(
          async (path) => (await world.ask(path)).status,
        ),
      )
    expect(new Set(await readAll())).toEqual(new Set([200]))
    await world.servers[0]?.die()
    for (let round = 0; round < 5; round++) expect(new Set(await readAll())).toEqual(new Set([200]))
    for (let stream = 0; stream < 6; stream++) {
      const response = await answered(() => world.ask('/v1/stream'))
      expect(response.status).toBe(200)
      await response.body?.cancel()
    }
  })

  test.skipIf(!isInstalled)('error: without a server, pages can read the error', async () => {
    await using world = await open(start)
    for (const server of world.servers) await server.die()
    for (const path of ['/v1/feeds', '/v1/stream', '/eia/v2']) {
      const response = await answered(() => world.ask(path))
      const error = 'no server is available; retry later'
      expect([path, response.status, await response.json()]).toEqual([
        path,
        503,
        path.startsWith('/eia') ? { error, code: 503 } : { error },
      ])
      const names = ['access-control-allow-origin', 'cache-control', 'retry-after']
      expect(names.map((name) => response.headers.get(name))).toEqual(['*', 'no-store', '2'])
    }
  })
})

describe.skipIf(!hasNginx)('nginx', () => {
  test('behavior: it logs no key of EIA, also when no server is available', async () => {
    await using world = await open(behindNginx)
    const paths = ['/eia/v2', '/eia/v2/coal/data/', '/v2/coal/data', '/eia/as-of/2026-11-20/v2/coal']
    const askAll = async () => {
      for (const path of paths) await world.ask(`${path}?api_key=S3CRET&data[]=price`)
      await world.ask('/v1/feeds')
    }
    await askAll()
    for (const server of world.servers) await server.die()
    await askAll()
    const logs = ['access.log', 'error.log'].map((name) =>
      readFileSync(join(world.proxy.folder, name), 'utf8'),
    )
    expect(logs[0]).toContain('/v1/feeds')
    expect(logs[1]).toContain('/v1/feeds')
    expect(logs.join('')).not.toContain('S3CRET')
  })
})

describe.skipIf(!hasVarnish)('Varnish', () => {
  test('behavior: a key of EIA is in no cache key, and no server receives it', async () => {
    await using world = await open(behindVarnish, { cacheMaxAgeS: 3_600, count: 1 })
    const queries = [
      '?api_key=K1&a=1',
      '?a=1&api_key=K2',
      '?a=1&api%5Fkey=K3',
      '?api_key=K4&a=1&api_key=K5',
      '?API_KEY=K7&a=1',
    ]
    for (const query of [...queries, '?api_key=K6', ''])
      expect((await world.ask(`/eia/v2/${query}`)).status).toBe(404)
    const asked = requestsTo(world.servers).map(({ url }) => url.slice(url.indexOf('/eia')))
    expect([...new Set(asked)]).toEqual(['/eia/v2/?a=1', '/eia/v2/'])
  })

  const CLIENTS = 40

  test('default: concurrent reads are collapsed into one', async () => {
    await using world = await open(behindVarnish, { cacheMaxAgeS: 3_600 })
    const releases = world.servers.map((server) => server.hold())
    const answers = Array.from({ length: CLIENTS }, async () => (await world.ask('/v1/feeds')).text())
    // Varnish's threads update the counter with a delay.
    while ((await varnishCounter(world.proxy, 'MAIN.busy_sleep')) < CLIENTS / 2) await nextLook()
    for (const release of releases) release()
    expect(new Set(await Promise.all(answers)).size).toBe(1)
    expect(requestsTo(world.servers)).toHaveLength(1)
  })

  test('behavior: uncacheable requests reach the server each time, concurrently', async () => {
    await using world = await open(behindVarnish)
    await world.ask('/v1/feeds')
    const releases = world.servers.map((server) => server.hold())
    const answers = Array.from({ length: CLIENTS }, async () => (await world.ask('/v1/feeds')).text())
    while (requestsTo(world.servers).length < CLIENTS + 1) await nextLook()
    for (const release of releases) release()
    expect(new Set(await Promise.all(answers)).size).toBe(1)
  })

  test('behavior: an error is not cached', async () => {
    await using world = await open(behindVarnish, { cacheMaxAgeS: 3_600 })
    const path = `/v1/feeds/${syntheticFeedId(FEEDS)}`
    expect((await world.ask(path)).status).toBe(404)
    world.chain.register(syntheticFeedId(FEEDS))
    world.chain.attest(syntheticFeedId(FEEDS), { amount: 1n })
    world.chain.advance()
    expect((await world.ask(path)).status).toBe(200)
  })

  test('behavior: a URL is read from one server, different URLs from all servers', async () => {
    await using world = await open(behindVarnish)
    const paths = Array.from({ length: FEEDS }, (_, index) => `/v1/feeds/${syntheticFeedId(index)}`)
    for (const path of [...paths, ...paths]) await world.ask(path)
    const asked = world.servers.map(({ requests }) => requests.map(({ url }) => new URL(url).pathname))
    expect(asked.map((urls) => urls.length > 0)).toEqual([true, true])
    for (const urls of asked) expect(urls.length).toBe(2 * new Set(urls).size)
  })

  test('behavior: a stale answer is revalidated by its ETag, and served if no server is ready', async () => {
    await using world = await open(behindVarnish, { cacheMaxAgeS: 1 })
    const first = await whole(await world.ask('/v1/feeds'))
    const revalidated = (): boolean =>
      requestsTo(world.servers).some(({ headers }) => headers.has('if-none-match'))
    while (!revalidated()) {
      expect(await whole(await world.ask('/v1/feeds'))).toEqual(first)
      await nextLook()
    }
    for (const server of world.servers) await server.die()
    let last = await world.ask('/v1/feeds')
    while (last.status !== 200 || Number(last.headers.get('age')) < 2) {
      await nextLook()
      last = await world.ask('/v1/feeds')
    }
    expect(await whole(last)).toEqual(first)
  })
})
