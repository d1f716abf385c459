import { afterAll, describe, expect, test } from 'bun:test'
import { idleSeconds, ListenError, listen } from '../../src/server/listen.ts'
import { createFakeClient, readingOf, stateRootHash } from './fakeClient.ts'
import { sendLine, sendRaw } from './rawRequest.ts'
import { createTestApp } from './testApp.ts'

const ids = ['é', 'a/b', 'a+b', '..', 'EIA.X']
const client = createFakeClient({ readings: ids.map((feed_id) => readingOf({ feed_id })) })
const app = createTestApp({ client })
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
        'access-control-expose-headers': 'ETag, X-Casper-State-Root, Retry-After',
        'content-length': String(Buffer.byteLength(body)),
        'content-type': 'application/json',
        date: expect.any(String),
        etag: `"${stateRootHash}"`,
        'x-casper-state-root': stateRootHash,
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

  test('behavior: 304 and 204 have no body, HEAD of a 304 neither', async () => {
    const ifNoneMatch = `Host: localhost\r\nIf-None-Match: "${stateRootHash}"\r\n`
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

  test('behavior: an encoded slash is part of the id, a plain one of the path', async () => {
    expect(await feedIdAt('/v1/feeds/a%2Fb')).toBe('a/b')
    expect(await feedIdAt('/v1/feeds/a/b')).toStartWith('404: no endpoint answers to /v1/feeds/a/b')
    expect(await feedIdAt('/v1/feeds/a\\b')).toStartWith('404: no endpoint answers to /v1/feeds/a/b')
  })

  test('behavior: a plus is a plus', async () => expect(await feedIdAt('/v1/feeds/a+b')).toBe('a+b'))

  // A limit, not a wish: it is Bun that resolves them.
  test('behavior: dot segments are resolved away before anything is decoded', async () => {
    for (const path of ['/v1/feeds/..', '/v1/feeds/%2e%2e'])
      expect(await feedIdAt(path)).toStartWith('404: no endpoint answers to /v1/')
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
      expect(await feedIdAt('/v1/feeds/%zz', head)).toStartWith('400: "/v1/feeds/%zz" does not decode')
      expect(await feedIdAt('/nope', head)).toStartWith('404: no endpoint answers to /nope')
    })

  test('behavior: without a host (HTTP/1.0) the endpoint is found', async () => {
    const { status, body } = await sendRaw(
      port,
      'GET /v1/datasets?q=cushing&family=petroleum HTTP/1.0\r\n\r\n',
    )
    expect({ status, total: JSON.parse(body).total }).toEqual({ status: 200, total: 1 })
  })

  test('behavior: a method with a body is refused without reading it', async () => {
    const head =
      'Host: localhost\r\nContent-Length: 5\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"a"'
    const { status, headers } = await sendRaw(port, `POST /v1/feeds HTTP/1.1\r\n${head}}`)
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD, OPTIONS' })
  })

  test('behavior: any query is a 200 up to 16 KiB of request head', async () => {
    const { status } = await sendLine(port, `GET /v1/datasets?q=${'%zz'.repeat(5_400)}`)
    expect(status).toBe(200)
  })
})

for (const [deadlineMs, seconds] of [
  [1, 6],
  [10_000, 25],
  [125_000, 255],
  [125_001, 0],
] as const)
  test(`default: ${deadlineMs} ms for a read close no connection before ${seconds || 'the end'}`, () => {
    expect(idleSeconds(deadlineMs)).toBe(seconds)
  })

describe('listen', () => {
  test('error: a port that is taken is named, with the way out', () => {
    const attempt = () => listen({ ...options, port })
    expect(attempt).toThrow(ListenError)
    expect(attempt).toThrow(
      `cannot listen on 127.0.0.1:${port} (EADDRINUSE): set PORT or HOST to a free address, PORT=0 takes a free port`,
    )
  })

  test('error: a request that ends in an exception outside of the app is a 500 without a word of it', async () => {
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
