import { afterAll, describe, expect, test } from 'bun:test'
import { ListenError } from '../../src/runtime/serveHttp.ts'
import { idleSeconds, listen } from '../../src/server/listen.ts'
import { createShutdown } from '../../src/server/shutdown.ts'
import { createFakeClient, readingOf, stateRootHash } from './fakeClient.ts'
import { type RawAnswer, sendLine, sendRaw } from './rawRequest.ts'
import { createTestApp, createTestLog } from './testApp.ts'

const ids = ['é', 'a/b', 'a+b', '..', 'EIA.X']
const client = createFakeClient({ readings: ids.map((feed_id) => readingOf({ feed_id })) })
const { log, lines } = createTestLog()
const app = createTestApp({ client, log })
const options = { fetch: app.fetch, host: '127.0.0.1', deadlineMs: 10_000 }
const listener = listen({ ...options, port: 0 })
const { port } = listener
afterAll(() => listener.close())

const feedIdAt = async (path: string, head?: string): Promise<string> => {
  const { status, body } = await sendLine(port, `GET ${path}`, head)
  return status === 200 ? JSON.parse(body).feed_id : `${status}: ${JSON.parse(body).error}`
}

describe('bytes on the socket', () => {
  test('default: a feed, with every header of its answer', async () => {
    const { status, headers, body } = await sendLine(port, 'GET /v1/feeds/EIA.X')
    expect({ status, headers, feedId: JSON.parse(body).feed_id }).toEqual({
      status: 200,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('X-Wattfeed-Version'),
        'cache-control': 'no-cache',
        'content-length': String(Buffer.byteLength(body)),
        'content-security-policy': "frame-ancestors 'none'",
        'content-type': 'application/json',
        'cross-origin-resource-policy': 'cross-origin',
        date: expect.any(String),
        etag: expect.stringMatching(/^"[0-9a-f]{16}"$/),
        'x-casper-state-root': stateRootHash,
        'x-wattfeed-version': 'f36.a1204',
      },
      feedId: 'EIA.X',
    })
  })

  for (const path of [
    '/v1/feeds/EIA.X',
    '/v1/feeds',
    '/v1/datasets',
    '/health',
    '/openapi',
    '/nope',
    '/v1/feeds/%zz',
  ])
    test(`default: HEAD ${path} has the head of GET and no body`, async () => {
      const get = await sendLine(port, `GET ${path}`)
      const head = await sendLine(port, `HEAD ${path}`)
      const { date: _, ...expected } = get.headers
      expect({ status: head.status, headers: head.headers, body: head.body }).toMatchObject({
        status: get.status,
        headers: expected,
        body: '',
      })
    })

  test('behavior: 304 and 204 have no body, nor does HEAD of a 304', async () => {
    const { headers } = await sendLine(port, 'GET /v1/feeds/EIA.X')
    const ifNoneMatch = `Host: localhost\r\nIf-None-Match: ${headers.etag}\r\n`
    const answers = await Promise.all([
      sendLine(port, 'GET /v1/feeds/EIA.X', ifNoneMatch),
      sendLine(port, 'HEAD /v1/feeds/EIA.X', ifNoneMatch),
      sendLine(port, 'OPTIONS /v1/feeds/EIA.X'),
    ])
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [304, ''],
      [304, ''],
      [204, ''],
    ])
  })

  test('behavior: raw UTF-8 is decoded', async () => expect(await feedIdAt('/v1/feeds/é')).toBe('é'))

  test('behavior: an encoded slash is part of the id, a plain slash of the path', async () => {
    expect(await feedIdAt('/v1/feeds/a%2Fb')).toBe('a/b')
    expect(await feedIdAt('/v1/feeds/a/b')).toStartWith('404: unknown path /v1/feeds/a/b')
    expect(await feedIdAt('/v1/feeds/a\\b')).toStartWith('404: unknown path /v1/feeds/a/b')
  })

  test('behavior: a plus is a plus', async () => expect(await feedIdAt('/v1/feeds/a+b')).toBe('a+b'))

  // A limit, not a wish: it is Bun that resolves them.
  test('behavior: dot segments are resolved before decoding', async () => {
    for (const path of ['/v1/feeds/..', '/v1/feeds/%2e%2e'])
      expect(await feedIdAt(path)).toStartWith('404: unknown path /v1/')
  })

  for (const [what, head] of [
    ['a short host', 'Host: a\r\n'],
    ['an address', 'Host: [::1]:4030\r\n'],
    ['a host that is none', 'Host: a b\r\n'],
    ['an empty host', 'Host: \r\n'],
    ['a host with a broken escape', 'Host: a%zz\r\n'],
  ] as const)
    test(`behavior: ${what} changes nothing`, async () => {
      expect(await feedIdAt('/v1/feeds/EIA.X', head)).toBe('EIA.X')
      expect(await feedIdAt('/v1/feeds/%zz', head)).toStartWith(
        '400: "/v1/feeds/%zz" is not percent-encoded UTF-8',
      )
      expect(await feedIdAt('/nope', head)).toStartWith('404: unknown path /nope')
    })

  test('behavior: without a host (HTTP/1.0) the endpoint is found', async () => {
    const { status, body } = await sendRaw(
      port,
      'GET /v1/datasets?q=cushing&family=petroleum HTTP/1.0\r\n\r\n',
    )
    expect({ status, total: JSON.parse(body).total }).toEqual({ status: 200, total: 1 })
  })

  test('behavior: a method with a body is rejected without reading the body', async () => {
    const head =
      'Host: localhost\r\nContent-Length: 5\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"a"'
    const { status, headers } = await sendRaw(port, `POST /v1/feeds HTTP/1.1\r\n${head}}`)
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD, OPTIONS' })
  })

  test('behavior: a method with an enormous Content-Length is rejected too', async () => {
    for (const length of [200_000_000, 999_999_999_999_999]) {
      const head = `Host: localhost\r\nContent-Length: ${length}\r\n`
      const { status, body } = await sendLine(port, 'POST /health', head)
      const error = 'method POST is not allowed on /health; use GET'
      expect({ status, body: JSON.parse(body) }).toEqual({ status: 405, body: { error } })
    }
  })

  test('behavior: CONNECT has no path: it is a 405, logged as sent', async () => {
    for (const [target, head] of [
      ['example.com:443', 'Host: example.com:443\r\n'],
      ['[::1]:443', 'Host: a b\r\n'],
      ['/health', 'Host: localhost\r\n'],
      ['http://other.example/health', 'Host: localhost\r\n'],
    ] as const) {
      const { status, headers, body } = await sendLine(port, `CONNECT ${target}`, head)
      const path = target.replace('http://other.example', '')
      expect({ status, allow: headers.allow, body: JSON.parse(body) }).toEqual({
        status: 405,
        allow: 'GET, HEAD, OPTIONS',
        body: { error: `method CONNECT is not allowed on ${path}; use GET` },
      })
      expect(lines.at(-1)?.fields).toMatchObject({ method: 'CONNECT', path, status: 405 })
    }
    expect((await sendLine(port, 'CONNECT /nope')).status).toBe(404)
  })

  for (const head of [
    'Host: a\r\nHost: b\r\n',
    'Host: a\r\nhost: a\r\n',
    'Host: \r\nHost: a\r\n',
    'Host: a\r\nHost: \r\n',
    'Host: a b\r\nHost: b\r\n',
  ])
    test(`error: more than one host (${JSON.stringify(head)}) is a 400`, async () => {
      for (const line of ['GET /health', 'HEAD /v1/feeds/EIA.X', 'OPTIONS /v1/feeds', 'GET /nope']) {
        const { status, headers, body } = await sendLine(port, line, head)
        const isHead = line.startsWith('HEAD')
        expect({ status, origin: headers['access-control-allow-origin'], body }).toEqual({
          status: 400,
          origin: '*',
          body: isHead ? '' : '{"error":"the request has more than one Host header; send exactly one"}',
        })
      }
      expect(lines.at(-1)?.fields).toMatchObject({ method: 'GET', path: '/nope', status: 400 })
    })

  test('behavior: an absolute target is reduced to its path and query', async () => {
    const targets = ['http://other.example', 'HTTP://other.example:1', 'https://user:secret@other.example']
    for (const host of targets) {
      expect(await feedIdAt(`${host}/v1/feeds/EIA.X`)).toBe('EIA.X')
      expect(lines.at(-1)?.fields).toMatchObject({ path: '/v1/feeds/EIA.X', status: 200 })
      const { body } = await sendLine(port, `GET ${host}/v1/datasets?q=cushing&family=petroleum`)
      expect(JSON.parse(body).total).toBe(1)
    }
    const index = await sendLine(port, 'GET http://other.example?x=/v1/feeds')
    expect(JSON.parse(index.body).service).toBe('wattfeed')
    expect(lines.at(-1)?.fields).toMatchObject({ path: '/', status: 200 })
  })

  test('behavior: any query is a 200 up to 16 KiB of request head', async () => {
    const { status } = await sendLine(port, `GET /v1/datasets?q=${'%zz'.repeat(5_400)}`)
    expect(status).toBe(200)
  })
})

const usual = 'Host: localhost\r\nConnection: close\r\n'

// A limit, not a wish: Bun answers these itself, and nothing of ours is asked. No JSON, no headers that would let a page
// read them. Where an upgrade changes that, the documentation's text on them changes too.
describe('responses of the runtime itself', () => {
  const bare: RawAnswer = { status: 400, headers: { connection: 'close' }, body: '' }
  for (const [what, status, bytes] of [
    ['no HTTP', 400, 'nonsense\r\n\r\n'],
    ['TLS', 400, '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
    ['HTTP/1.1 without a host', 400, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a header without a colon', 400, `GET /health HTTP/1.1\r\n${usual}nonsense\r\n\r\n`],
    ['a header with a NUL', 400, `GET /health HTTP/1.1\r\n${usual}a: b\0c\r\n\r\n`],
    ['a target that is none', 400, `GET health HTTP/1.1\r\n${usual}\r\n`],
    ['OPTIONS of the whole server', 400, `OPTIONS * HTTP/1.1\r\n${usual}\r\n`],
    ['a length that is none', 400, `POST /health HTTP/1.1\r\n${usual}Content-Length: x\r\n\r\n`],
    [
      'two lengths',
      400,
      `POST /health HTTP/1.1\r\n${usual}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a head over 16 KiB', 431, `GET /health HTTP/1.1\r\n${usual}a: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a query over 16 KiB', 431, `GET /health?${'x'.repeat(20_000)} HTTP/1.1\r\n${usual}\r\n`],
    ['over 200 headers', 431, `GET /health HTTP/1.1\r\n${usual}${'a: 1\r\n'.repeat(250)}\r\n`],
    ['another version of HTTP', 505, `GET /health HTTP/2.0\r\n${usual}\r\n`],
    ['no version of HTTP', 505, 'GET /health\r\n\r\n'],
  ] as const)
    test(`behavior: ${what}: a bare ${status}`, async () => {
      const logged = lines.length
      expect(await sendRaw(port, bytes)).toEqual({ ...bare, status })
      expect(lines).toHaveLength(logged)
    })

  for (const method of ['get', 'FOO'])
    test(`behavior: ${method}, a method that it does not know: no answer at all`, async () => {
      expect(await sendLine(port, `${method} /health`)).toEqual({ status: Number.NaN, headers: {}, body: '' })
    })
})

for (const [deadlineMs, idleTimeoutS, seconds] of [
  [1, 1, 6],
  [10_000, 1, 25],
  [10_000, 75, 79],
  [10_000, 240, 244],
  [60_000, 75, 125],
  [125_000, 75, 255],
  [125_001, 75, 0],
] as const)
  test(`default: ${deadlineMs} ms for a read and ${idleTimeoutS} s close no connection before ${seconds || 'the end'}`, () => {
    expect(idleSeconds({ deadlineMs, idleTimeoutS })).toBe(seconds)
  })

describe('listen', () => {
  test('error: a port in use is named, with the fix', () => {
    const attempt = () => listen({ ...options, port })
    expect(attempt).toThrow(ListenError)
    expect(attempt).toThrow(
      `cannot listen on 127.0.0.1:${port} (EADDRINUSE); set PORT or HOST to a free address, or PORT=0 to use any free port`,
    )
  })

  test('error: an exception outside of the app is a 500 without its message', async () => {
    const broken = listen({
      ...options,
      port: 0,
      fetch: () => {
        throw new TypeError('secret')
      },
    })
    try {
      const { status, headers, body } = await sendLine(broken.port, 'GET /')
      expect({ status, origin: headers['access-control-allow-origin'], body }).toEqual({
        status: 500,
        origin: '*',
        body: '{"error":"internal error"}',
      })
    } finally {
      await broken.close()
    }
  })
})

/** A listener with one request that stays in flight until it is released. */
async function startBusy() {
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const fetchAnswer = async () => {
    arrived.resolve()
    await release.promise
    return new Response('done')
  }
  const listener = listen({ fetch: fetchAnswer, port: 0, host: '127.0.0.1', deadlineMs: 10_000 })
  const url = `http://127.0.0.1:${listener.port}/`
  const answer = fetch(url).then(
    (response) => response.text(),
    (error) => `failed: ${error instanceof Error}`,
  )
  await arrived.promise
  return { listener, url, answer, release: release.resolve }
}

const never = (): Promise<void> => new Promise(() => {})
const endStreams = (): void => {}

describe('createShutdown', () => {
  test('default: accepts no new connections, and waits for requests in flight', async () => {
    const { listener, url, answer, release } = await startBusy()
    const stopped = createShutdown(listener, endStreams, never)()
    const refused = await fetch(url, { keepalive: false }).then(
      () => 'accepted',
      () => 'refused',
    )
    release()
    expect([refused, await answer, await stopped]).toEqual(['refused', 'done', undefined])
  })

  test('behavior: closes requests in flight after the timeout', async () => {
    const { listener, answer } = await startBusy()
    const asked: number[] = []
    const wait = async (ms: number) => {
      asked.push(ms)
    }
    await createShutdown(listener, endStreams, wait)()
    expect([asked, await answer]).toEqual([[8_000], 'failed: true'])
  })

  test('behavior: a second call waits for the first', async () => {
    let stops = 0
    const listener = {
      stop: async () => {
        stops++
      },
      close: never,
    }
    const shutDown = createShutdown(listener, endStreams, never)
    await Promise.all([shutDown(), shutDown()])
    expect(stops).toBe(1)
  })
})
