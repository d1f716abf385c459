import { describe, expect, test } from 'bun:test'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { createTestApp, createTestLog, type TestAppOptions } from '../testApp.ts'
import { callTool, connectTo, eras } from './mcpClient.ts'

const call = { name: 'get_readings', arguments: { feeds: [readingOf().feed_id] } }

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })

/** Posts a body to the server. */
async function post(body: unknown, headers: Record<string, string> = {}, options: TestAppOptions = {}) {
  const response = await createTestApp(options).handle(
    new Request('http://localhost:4030/mcp', {
      method: 'POST',
      headers: {
        host: 'localhost:4030',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe.each(eras)('a client of %s', (era) => {
  test('default: it finds the server, the tools and the resource', async () => {
    const client = await connectTo(createTestApp(), era)
    expect(client.getNegotiatedProtocolVersion()).toBe(era)
    expect(client.getServerVersion()?.name).toBe('wattfeed')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'search_feeds',
      'get_readings',
      'get_history',
      'get_status',
      'search_datasets',
      'verify_claim',
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['wattfeed://feeds/{id}'])
    await client.close()
  })

  test('default: a tool answers with a citation and data', async () => {
    const client = await connectTo(createTestApp(), era)
    const { text, data } = await callTool(client, call.name, call.arguments)
    expect(text).toContain('3.04938 "$/MMBtu" for 20 Nov 2026, attested 2026-11-20T09:58:46Z')
    expect(data.readings).toMatchObject([{ value: '3.04938', state: 'current' }])
    await client.close()
  })
})

describe('POST /mcp', () => {
  test.each(['GET', 'DELETE', 'PUT'])('error: %s is a 405', async (method) => {
    const response = await createTestApp().handle(new Request('http://localhost/mcp', { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  test('default: a preflight allows POST', async () => {
    const response = await createTestApp().handle(new Request('http://localhost/mcp', { method: 'OPTIONS' }))
    expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'POST, OPTIONS',
    ])
  })

  test.each([
    [{ host: 'evil.example' }, 403],
    [{ host: 'localhost.evil.example:4030' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ host: '127.0.0.1:4030' }, 200],
    [{ host: '[::1]:4030' }, 200],
    [{ origin: 'http://localhost:5173' }, 200],
  ])('behavior: by default only this machine is allowed: %j is a %i', async (headers, status) => {
    const answer = await post(message('tools/list'), headers)
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.headers.get('x-wattfeed-error')).toBe('mcp_forbidden')
  })

  test('behavior: the settings allow other hosts and origins, and no longer this machine', async () => {
    const mcp = { allowedHosts: ['feeds.example'], allowedOrigins: ['app.example'] }
    const from = async (headers: Record<string, string>) =>
      (await post(message('tools/list'), headers, { mcp })).status
    expect(await from({ host: 'feeds.example', origin: 'https://app.example' })).toBe(200)
    expect(await from({})).toBe(403)
    expect(await from({ host: 'feeds.example', origin: 'http://localhost' })).toBe(403)
  })

  test('default: the address of a proof begins with PUBLIC_URL, whatever the headers', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
    const mcp = { allowedHosts: ['evil.example'], allowedOrigins: [] }
    const askWith = (publicUrl: string | null) =>
      post(message('tools/call', call), headers, { mcp, publicUrl })
    const { text } = await askWith('https://feeds.example.com')
    expect(text).toContain('https://feeds.example.com/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/proof')
    expect(text).not.toContain('evil.example')
    const { text: unset } = await askWith(null)
    expect(unset).toContain('wattfeed verify <server>/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/proof --trust')
    expect(unset).toContain('the operator of this one has not set its address')
    expect(unset).not.toContain('evil.example')
  })

  test('error: a body of more than 64 KiB is a 413', async () => {
    const { status } = await post(JSON.stringify(message('tools/list', { pad: 'x'.repeat(65_536) })))
    expect(status).toBe(413)
  })

  test.each(['', '{', '[]', '7', '{"jsonrpc":"2.0"}', '['.repeat(60_000)])(
    'error: the body %j is a 400',
    async (body) => {
      expect((await post(body)).status).toBe(400)
    },
  )

  test('error: a batch of more than 100 messages is rejected', async () => {
    const batch = (count: number) => post(Array.from({ length: count }, () => message('ping')))
    expect([(await batch(100)).status, (await batch(101)).status]).toEqual([200, 400])
  })

  test('behavior: any origin may read the answer, because the request was checked', async () => {
    const { headers } = await post(message('tools/list'))
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('Accept of the protocols of 2025', () => {
  const ask = (accept: string | null, body: unknown = message('tools/list')) =>
    createTestApp().handle(
      new Request('http://localhost:4030/mcp', {
        method: 'POST',
        headers: {
          host: 'localhost:4030',
          'content-type': 'application/json',
          ...(accept === null ? {} : { accept }),
        },
        body: JSON.stringify(body),
      }),
    )
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }

  test.each([
    null,
    '',
    '*/*',
    'application/json',
    'application/json, */*',
    'application/*, text/*',
    'APPLICATION/JSON, TEXT/EVENT-STREAM',
    'application/json; charset=UTF-8',
    'text/html, */*;q=0.1',
    'application/json, text/event-stream',
  ])('default: %j is answered with JSON', async (accept) => {
    const response = await ask(accept)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect((await response.json()).result.tools).toHaveLength(6)
  })

  test.each(['text/html', 'text/event-stream', 'application/json;q=0, */*', 'json'])(
    'error: %j rules out JSON, which is a 406 with the headers of an error',
    async (accept) => {
      const { status, headers } = await ask(accept)
      expect([status, headers.get('x-wattfeed-error'), headers.get('link')]).toEqual([
        406,
        'mcp_not_acceptable',
        '</docs/errors#mcp_not_acceptable>; rel="help"',
      ])
    },
  )

  test.each([null, '*/*', 'text/html'])(
    'behavior: a notification has nothing to negotiate: %j is a 202',
    async (accept) => {
      const response = await ask(accept, notification)
      expect([response.status, await response.text()]).toEqual([202, ''])
    },
  )

  test('behavior: a batch is answered with a list', async () => {
    const response = await ask('*/*', [message('ping'), notification, { ...message('ping'), id: 2 }])
    expect((await response.json()).map(({ id }: { id: number }) => id)).toEqual([1, 2])
  })
})

describe('limits', () => {
  test('error: a call above the limit is a tool error 429', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const slow = createFakeClient({
      snapshot: () => {
        reach()
        return released
      },
    })
    const mcp = { allowedHosts: ['localhost'], allowedOrigins: [], limits: { maxCalls: 1 } }
    const client = await connectTo(createTestApp({ client: slow, mcp }), '2026-07-28')
    const first = callTool(client, call.name, call.arguments)
    await reached
    const second = await callTool(client, call.name, call.arguments)
    expect([second.isError, second.data.error]).toMatchObject([true, { status: 429, code: 'mcp_busy' }])
    release()
    expect((await first).isError).toBe(false)
    expect((await callTool(client, call.name, call.arguments)).isError).toBe(false)
  })

  test('error: a call that takes too long is a tool error 503, and its signal aborts', async () => {
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
    const fake = createFakeClient()
    const slow = {
      ...fake,
      withSnapshot: ((_, options) => {
        options?.signal?.addEventListener('abort', () => abort())
        return new Promise(() => {})
      }) as typeof fake.withSnapshot,
    }
    const mcp = { allowedHosts: ['localhost'], allowedOrigins: [], limits: { timeoutMs: 1 } }
    const client = await connectTo(createTestApp({ client: slow, mcp }), '2026-07-28')
    const { isError, data } = await callTool(client, call.name, call.arguments)
    await aborted
    expect([isError, data.error]).toMatchObject([true, { status: 503, code: 'mcp_timeout' }])
  })

  test('behavior: a subscription ends at once, because the tools never change', async () => {
    const app = createTestApp()
    const headers = {
      host: 'localhost',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const body = JSON.stringify(
      message('subscriptions/listen', { _meta, notifications: { toolsListChanged: true } }),
    )
    const response = await app.handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(await response.text()).toMatch(/subscriptions\/acknowledged.*"resultType":"complete"/s)
  })
})

describe('the log', () => {
  test('behavior: an error of the chain is logged, an error of the caller is not', async () => {
    const { log, lines } = createTestLog()
    const client = createFakeClient({
      getReading: (feedId) =>
        feedId === 'broken' ? Promise.reject(new Error('secret')) : Promise.resolve(null),
    })
    const mcp = await connectTo(createTestApp({ client, log }), '2026-07-28')
    const answer = await callTool(mcp, 'get_status', { feeds: ['broken'] })
    expect(answer.data.error).toEqual({ status: 500, code: 'internal', message: 'internal error' })
    await callTool(mcp, 'get_status', { feeds: ['none'] })
    expect(lines.filter(({ level }) => level !== 'info').map(({ message }) => message)).toEqual([
      'internal error',
    ])
  })
})
