import { describe, expect, test } from 'bun:test'
import { AllNodesFailedError, TransportError } from 'wattfeed'
import { BodySchemaError } from '../../src/server/http/bodyCheck.ts'
import { commonHeaders } from '../../src/server/http/headers.ts'
import { warmUp } from '../../src/server/server.ts'
import { createFakeClient, readingOf, stateRootHash } from './fakeClient.ts'
import { answerOf, ask, createTestApp, createTestLog, TestChainError } from './testApp.ts'

const exposed =
  'ETag, X-Casper-State-Root, X-Wattfeed-Version, X-Wattfeed-Error, Retry-After, Link, Content-Range, Accept-Ranges, Content-Disposition, X-Wattfeed-Root, X-Wattfeed-Size, X-Wattfeed-Index, X-Wattfeed-Attested-At, X-Wattfeed-Proof'

const everyAnswer: [what: string, status: number, path: string, init?: RequestInit][] = [
  ['the index', 200, '/'],
  ['the list', 200, '/v1/feeds'],
  ['a feed', 200, '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY'],
  ['the table', 200, '/v1/feeds.csv'],
  ['some readings', 200, '/v1/readings?id=a&id=b'],
  ['some recent values', 200, '/v1/recent?id=EIA.NG.PRICE.HENRYHUB.DAILY'],
  ['the catalog', 200, '/v1/datasets'],
  ['health', 200, '/health'],
  ['ready', 200, '/ready'],
  ['metrics', 200, '/metrics'],
  ['the OpenAPI document', 200, '/openapi/json'],
  ['the OpenAPI page', 200, '/openapi'],
  ["the page's script", 200, '/openapi/swagger-ui-bundle.js'],
  ["the page's style", 200, '/openapi/swagger-ui.css'],
  ['not modified', 304, '/v1/feeds', { headers: { 'if-none-match': '*' } }],
  ['not modified catalog', 304, '/v1/datasets', { headers: { 'if-none-match': '*' } }],
  ['a path that does not decode', 400, '/v1/feeds/%zz'],
  ['an unknown feed', 404, '/v1/feeds/nope'],
  ['an unknown path', 404, '/nope'],
  ['an unknown path, other method', 404, '/nope', { method: 'DELETE' }],
  ['a known path, other method', 405, '/v1/feeds', { method: 'POST' }],
  ['a parameter that there is not', 400, '/v1/feeds.csv?x=1'],
  ['a range past the end', 416, '/v1/feeds.csv', { headers: { range: 'bytes=9999-' } }],
  ['a preflight', 204, '/v1/feeds', { method: 'OPTIONS' }],
  ['a preflight of an unknown path', 204, '/nope', { method: 'OPTIONS' }],
  ['HEAD', 200, '/v1/feeds', { method: 'HEAD' }],
]

describe('headers of every answer', () => {
  const app = createTestApp()

  for (const [what, status, path, init] of everyAnswer) {
    test(`default: ${what} (${status}) can be read from any origin, and shown by none`, async () => {
      const response = await ask(app, path, {
        ...init,
        headers: { origin: 'https://a.example', ...init?.headers },
      })
      expect({
        status: response.status,
        origin: response.headers.get('access-control-allow-origin'),
        expose: response.headers.get('access-control-expose-headers'),
        credentials: response.headers.get('access-control-allow-credentials'),
        variesByOrigin: response.headers.get('vary')?.includes('Origin') ?? false,
      }).toEqual({
        status,
        origin: '*',
        expose: exposed,
        credentials: null,
        variesByOrigin: false,
      })
      const { 'content-security-policy': policy, ...others } = commonHeaders
      expect(response.headers.get('content-security-policy')).toContain(policy)
      const common = Object.entries(others)
      expect(common.filter(([name, value]) => response.headers.get(name) !== value)).toEqual([])
    })
  }

  for (const [what, status, path, init] of everyAnswer) {
    if (status === 204) continue
    const cacheControl =
      status >= 400 ? 'no-store' : /swagger/.test(path) ? 'public, max-age=3600' : 'no-cache'
    test(`default: ${what} (${status}) has Cache-Control: ${cacheControl}`, async () => {
      expect((await ask(app, path, init)).headers.get('cache-control')).toBe(cacheControl)
    })
  }

  for (const [what, status, path, init] of everyAnswer) {
    if (status === 204 || status === 304 || /metrics|openapi$|swagger|csv/.test(path)) continue
    test(`default: ${what} (${status}) is application/json`, async () => {
      const response = await ask(app, path, init)
      expect(response.headers.get('content-type')).toBe('application/json')
    })
  }

  for (const [status, failure] of [
    [502, new TestChainError('all_nodes_failed')],
    [500, new TypeError('secret')],
  ] as const) {
    test(`default: a failure (${status}) can be read from any origin`, async () => {
      const client = createFakeClient({ snapshot: () => Promise.reject(failure) })
      const response = await ask(createTestApp({ client }), '/v1/feeds')
      expect(response.status).toBe(status)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('cache-control')).toBe('no-store')
    })
  }

  for (const path of [
    '/v1/datasets',
    '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/proof',
    '/openapi',
    '/openapi/json',
    '/openapi/swagger-ui-bundle.js',
  ])
    test(`behavior: ${path} is compressed, and a 304 for a client that has it`, async () => {
      const acceptEncoding = { 'accept-encoding': 'gzip' }
      const text = await (await ask(app, path)).text()
      const { headers, ...response } = await ask(app, path, { headers: acceptEncoding }).then(
        async (answer) => ({ headers: answer.headers, bytes: await answer.bytes() }),
      )
      const etag = headers.get('etag') ?? ''
      const again = await ask(app, path, { headers: { ...acceptEncoding, 'if-none-match': etag } })
      expect({
        coding: headers.get('content-encoding'),
        isSame: new TextDecoder().decode(Bun.gunzipSync(response.bytes)) === text,
        etag,
        again: again.status,
      }).toEqual({
        coding: 'gzip',
        isSame: true,
        etag: expect.stringMatching(/^"[0-9a-f]{16}-gzip"$/),
        again: 304,
      })
    })

  test('behavior: with CACHE_MAX_AGE_S, caches may reuse answers of the chain and the catalog, but no errors', async () => {
    const cached = createTestApp({ cacheMaxAgeS: 60 })
    const paths = [
      '/v1/feeds',
      '/v1/feeds.csv',
      '/v1/readings?id=EIA.NG.PRICE.HENRYHUB.DAILY',
      '/v1/recent?id=EIA.NG.PRICE.HENRYHUB.DAILY',
      '/v1/datasets',
    ]
    for (const [path, cacheControl] of [
      ...paths.map((path) => [path, 'public, max-age=60']),
      ['/v1/feeds/nope', 'no-store'],
      ['/ready', 'no-cache'],
    ] as [string, string][])
      expect([path, (await ask(cached, path)).headers.get('cache-control')]).toEqual([path, cacheControl])
  })
})

describe('methods', () => {
  const app = createTestApp()

  test('default: a preflight names the methods and lets any header pass', async () => {
    const response = await ask(app, '/v1/feeds/a%2Fb', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    })
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 204, body: '' })
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-headers': '*, X-Params',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': exposed,
      'access-control-max-age': '86400',
      allow: 'GET, HEAD, OPTIONS',
      'content-security-policy': "frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
    })
  })

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    for (const path of ['/', '/v1/feeds', '/v1/feeds/x', '/v1/datasets', '/health', '/openapi/json']) {
      test(`error: ${method} ${path} is a 405 with the allowed methods`, async () => {
        const response = await ask(app, path, { method })
        expect(response.status).toBe(405)
        expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
        expect(await response.json()).toEqual({
          error: `method ${method} is not allowed on ${path}; use GET`,
        })
      })
    }

    test(`error: ${method} on an unknown path is a 404`, async () => {
      expect(await answerOf(app, '/nope', { method })).toEqual({
        status: 404,
        body: { error: 'unknown path /nope; GET / lists all endpoints' },
      })
    })
  }
})

describe('paths', () => {
  const app = createTestApp()

  for (const path of [
    '/nope',
    '/v1',
    '/v1/feeds/a/b',
    '/v1/feeds//',
    '/v1//feeds',
    '//',
    '/V1/feeds',
    '/health/x',
  ]) {
    test(`error: ${path} is an unknown path`, async () => {
      expect(await answerOf(app, path)).toEqual({
        status: 404,
        body: { error: `unknown path ${path}; GET / lists all endpoints` },
      })
    })
  }

  for (const path of [
    '/v1/feeds/%',
    '/v1/feeds/%zz',
    '/v1/feeds/%ff',
    '/v1/feeds/%C3',
    '/v1/feeds/%ED%A0%80',
    '/no%pe',
  ])
    test(`error: ${path} does not decode`, async () => {
      expect(await answerOf(app, path)).toEqual({
        status: 400,
        body: {
          error: `"${path}" is not percent-encoded UTF-8; encode ids with encodeURIComponent (JavaScript) or an equivalent`,
        },
      })
    })

  for (const [path, same] of [
    ['/v1/feeds/', '/v1/feeds'],
    ['/v1/datasets/?q=cushing', '/v1/datasets?q=cushing'],
    ['/health/', '/health'],
  ] as const)
    test(`behavior: ${path} is ${same}`, async () => {
      expect(await answerOf(app, path)).toEqual(await answerOf(app, same))
    })
})

describe('failures', () => {
  test('error: an unknown exception is a 500 without its message; only the log has the stack', async () => {
    const { log, lines } = createTestLog()
    const failure = new TypeError('secret')
    const client = createFakeClient({ snapshot: () => Promise.reject(failure) })
    const app = createTestApp({ client, log })
    expect(await answerOf(app, '/v1/feeds')).toEqual({ status: 500, body: { error: 'internal error' } })
    expect(lines[0]).toEqual({ level: 'error', fields: { err: failure }, message: 'internal error' })
  })

  test("error: an error of the client is a 502 with the error's message, and a warning in the log", async () => {
    const { log, lines } = createTestLog()
    const client = createFakeClient({ snapshot: () => Promise.reject(new TestChainError('deadline')) })
    const app = createTestApp({ client, log })
    const message = 'the chain was not read: deadline'
    expect(await answerOf(app, '/v1/feeds')).toEqual({ status: 502, body: { error: message } })
    expect(lines[0]).toEqual({
      level: 'warn',
      fields: { err: { code: 'deadline', message } },
      message: 'chain read failed',
    })
  })

  for (const [retryable, retryAfter] of [
    [true, '4'],
    [false, null],
  ] as const)
    test(`behavior: Retry-After is ${retryAfter} where retryable is ${retryable}`, async () => {
      const client = createFakeClient({ snapshot: () => Promise.reject(new TestChainError('x', retryable)) })
      const response = await ask(createTestApp({ client }), '/v1/feeds')
      expect(response.headers.get('retry-after')).toBe(retryAfter)
    })

  test('behavior: Retry-After is the delay of the nodes if all of them request one', async () => {
    const busy = (host: string, waitMs: number) => ({
      host,
      error: new TransportError('HTTP 429', 429, waitMs),
    })
    const failed = new AllNodesFailedError('chain_get_state_root_hash', [
      busy('a', 19_000),
      busy('b', 11_500),
    ])
    const client = createFakeClient({ snapshot: () => Promise.reject(failed) })
    const response = await ask(createTestApp({ client }), '/v1/feeds')
    expect(response.headers.get('retry-after')).toBe('12')
  })

  test.each([
    [0, '1'],
    [1, '1'],
    [29_001, '30'],
    [86_400_000, '30'],
    [Number.POSITIVE_INFINITY, '30'],
  ])(
    'behavior: a delay of %p ms requested by nodes is a Retry-After of %p s, at most 30',
    async (waitMs, seconds) => {
      const error = new TransportError('HTTP 429', 429, waitMs)
      const failed = new AllNodesFailedError('chain_get_state_root_hash', [{ host: 'a', error }])
      const client = createFakeClient({ snapshot: () => Promise.reject(failed) })
      const response = await ask(createTestApp({ client }), '/v1/feeds')
      expect(response.headers.get('retry-after')).toBe(seconds)
    },
  )

  test('error: a reading that does not match its schema is a 502, in the list too', async () => {
    const client = createFakeClient({ readings: [readingOf({ feed_id: 'X', value: Number.NaN })] })
    const app = createTestApp({ client })
    const expected = {
      status: 502,
      body: { error: 'the reading of feed "X" does not match its schema at /value: Expected number' },
    }
    expect(await answerOf(app, '/v1/feeds/X')).toEqual(expected)
    expect(await answerOf(app, '/v1/feeds')).toEqual(expected)
  })

  test('error: a dataset that does not match its schema is a 500', async () => {
    const broken = { route: 'a', name: 'b', frequencies: [1] } as never
    const catalog = {
      searchDatasets: () => [{ ...(broken as object), columns: [], facets: [] } as never],
    }
    const { status, body } = await answerOf(createTestApp({ catalog }), '/v1/datasets')
    expect({ status, body }).toEqual({
      status: 500,
      body: {
        error: 'the answer Datasets does not match its schema at /datasets/0/frequencies/0: Expected string',
      },
    })
    expect(new BodySchemaError({ subject: 'x', path: '', rule: 'y' }).message).toBe(
      'x does not match its schema: y',
    )
  })
})

describe('the request log', () => {
  test('default: one line per request, with the path but without the query', async () => {
    const { log, lines } = createTestLog()
    const app = createTestApp({ log })
    await ask(app, '/v1/datasets?q=a')
    await ask(app, '/nope%0A', { method: 'DELETE' })
    expect(lines).toEqual([
      {
        level: 'info',
        fields: { method: 'GET', path: '/v1/datasets', status: 200, durationMs: expect.any(Number) },
        message: 'request',
      },
      {
        level: 'info',
        fields: { method: 'DELETE', path: '/nope%0A', status: 404, durationMs: expect.any(Number) },
        message: 'request',
      },
    ])
  })

  test('behavior: a long path is cut', async () => {
    const { log, lines } = createTestLog()
    await ask(createTestApp({ log }), `/${'a'.repeat(9_000)}`)
    expect(lines.map(({ fields }) => String(fields.path).length)).toEqual([512])
  })
})

test('default: reads the list once', async () => {
  const { log, lines } = createTestLog()
  await warmUp(createFakeClient(), log)
  expect(lines).toEqual([{ level: 'info', fields: { stateRootHash, feeds: 1 }, message: 'warmed up' }])
})

test('error: a failure is logged only', async () => {
  const { log, lines } = createTestLog()
  const err = new TestChainError('all_nodes_failed')
  await warmUp(createFakeClient({ snapshot: () => Promise.reject(err) }), log)
  expect(lines).toEqual([
    {
      level: 'warn',
      fields: { err: { code: err.code, message: err.message } },
      message: 'warm-up failed; retrying on the first request',
    },
  ])
})

test('error: a defect is logged with its stack', async () => {
  const { log, lines } = createTestLog()
  const err = new TypeError('x')
  await warmUp(createFakeClient({ snapshot: () => Promise.reject(err) }), log)
  expect(lines.map(({ fields }) => fields)).toEqual([{ err }])
})
