import { describe, expect, spyOn, test } from 'bun:test'
import type { Fetch } from '@wattfeed/base'
import { always } from '@wattfeed/casper-devnet/testing/faultPlan'
import { html, truncatedJson } from '@wattfeed/casper-devnet/testing/faults'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { deadNodeUrl } from '@wattfeed/testing/deadNodeUrl'
import { factsOf } from '@wattfeed/testing/factsOf'
import { type PostJsonOptions, postJson, TransportError } from '../../src/rpc/jsonRpc.ts'
import { selfSigned } from '../support/selfSigned.ts'

const url = 'http://node.test/rpc'

const optionsOf = (fetch: Fetch, changes: Partial<PostJsonOptions> = {}): PostJsonOptions => ({
  fetch,
  headers: {},
  maxBodyBytes: 100,
  retryAfterMaxMs: 30_000,
  signal: new AbortController().signal,
  ...changes,
})

const answering =
  (body: BodyInit | null, init: ResponseInit = {}): Fetch =>
  async () =>
    new Response(body, init)

/** Hangs, as `fetch` does, until its signal aborts. */
const hanging: Fetch = (_, init) =>
  new Promise((_, reject) => {
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
  })

const transport = (reason: string, status: number | null = null, retryAfterMs: number | null = null) => ({
  name: 'TransportError',
  code: 'transport',
  message: reason,
  reason,
  status,
  retryAfterMs,
})

/** A body that arrives in pieces and records whether it was cancelled. */
function pieces(...chunks: Uint8Array[]) {
  let cancelled = false
  let pulled = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[pulled++]
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel() {
        cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, cancelled: () => cancelled, pulled: () => pulled }
}

describe('postJson', () => {
  test('default: posts a body and parses the answer', async () => {
    const asked: [string, unknown][] = []
    const fetch: Fetch = async (...args) => {
      asked.push(args)
      return new Response('{"result":[1,"two",null]}')
    }
    const options = optionsOf(fetch, { headers: { authorization: 'Basic abc' } })
    expect(await postJson(url, '{"id":1}', options)).toEqual({ result: [1, 'two', null] })
    expect(asked).toEqual([
      [
        url,
        {
          method: 'POST',
          decompress: false,
          headers: {
            authorization: 'Basic abc',
            'content-type': 'application/json',
            'accept-encoding': 'identity',
          },
          body: '{"id":1}',
          signal: expect.any(AbortSignal),
        },
      ],
    ])
  })

  test('behavior: a redirect to another host does not get the Authorization header', async () => {
    const heard: (string | null)[] = []
    const listen = (answer: (request: Request) => Response) =>
      Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch(request) {
          heard.push(request.headers.get('authorization'))
          return answer(request)
        },
      })
    await using other = listen(() => Response.json('other'))
    await using node = listen(() => Response.redirect(other.url.href, 307))
    const headers = { authorization: 't0ken' }
    expect(await postJson(node.url.href, '{}', optionsOf(fetch, { headers }))).toBe('other')
    expect(heard).toEqual(['t0ken', null])
  })

  test('error: a certificate that is not trusted, and a port without TLS', async () => {
    const listen = (options: object) =>
      Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json('reached'), ...options })
    await using unknown = listen({ tls: selfSigned })
    await using plain = listen({})
    const reasonAt = async ({ port }: { port: number | undefined }) =>
      (await factsOf(postJson(`https://127.0.0.1:${port}`, '{}', optionsOf(fetch)))).reason
    expect(await reasonAt(unknown)).toBe(
      'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); use a valid one, or name its authority in NODE_EXTRA_CA_CERTS',
    )
    expect(await reasonAt(plain)).toBe('no TLS on this port (EPROTO); use http://, or another port')
  })

  test('behavior: a character may be split between pieces of the body', async () => {
    const bytes = new TextEncoder().encode('"€"')
    const { stream } = pieces(bytes.subarray(0, 2), bytes.subarray(2, 3), bytes.subarray(3))
    expect(await postJson(url, '{}', optionsOf(answering(stream)))).toBe('€')
  })

  test('behavior: a body of just the allowed size is read, announced or not', async () => {
    const body = `"${'x'.repeat(98)}"`
    const announced = { headers: { 'content-length': '100' } }
    expect(await postJson(url, '{}', optionsOf(answering(body, announced)))).toBe('x'.repeat(98))
    const { stream } = pieces(new TextEncoder().encode(body))
    expect(await postJson(url, '{}', optionsOf(answering(stream)))).toBe('x'.repeat(98))
  })

  test('error: a body that is announced as too large is not read', async () => {
    const body = pieces(new Uint8Array(10))
    const fetch = answering(body.stream, { headers: { 'content-length': '101' } })
    expect(await factsOf(postJson(url, '{}', optionsOf(fetch)))).toEqual({
      ...transport('the answer is larger than 100 bytes'),
      retryable: true,
    })
    expect([body.pulled(), body.cancelled()]).toEqual([0, true])
  })

  test('error: a body that grows too large is given up at once', async () => {
    const body = pieces(...Array.from({ length: 50 }, () => new Uint8Array(40)))
    expect(await factsOf(postJson(url, '{}', optionsOf(answering(body.stream))))).toEqual({
      ...transport('the answer is larger than 100 bytes'),
      retryable: true,
    })
    expect([body.pulled(), body.cancelled()]).toEqual([3, true])
  })

  test('behavior: a compressed body is unpacked, although the request did not allow it', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-length': '1000' }
    expect(await postJson(url, '{}', optionsOf(answering(Bun.gzipSync('7'), { headers })))).toBe(7)
    const bomb = answering(Bun.gzipSync(' '.repeat(2 ** 20)), { headers })
    expect(await factsOf(postJson(url, '{}', optionsOf(bomb)))).toMatchObject(
      transport('the answer is larger than 100 bytes'),
    )
  })

  test('error: a body in an encoding that cannot be unpacked is rejected before it is touched', async () => {
    for (const encoding of ['compress', 'identity, gzip', 'x']) {
      const body = pieces(new Uint8Array(40))
      const headers = { 'content-length': '50', 'content-encoding': encoding }
      expect(await factsOf(postJson(url, '{}', optionsOf(answering(body.stream, { headers }))))).toEqual({
        ...transport('the answer is compressed in a way that cannot be unpacked'),
        retryable: true,
      })
      expect([body.pulled(), body.cancelled()]).toEqual([0, true])
    }
  })

  test('behavior: a body with the encoding identity is read', async () => {
    for (const encoding of ['identity', 'Identity', '']) {
      const headers = { 'content-encoding': encoding }
      expect(await postJson(url, '{}', optionsOf(answering('7', { headers })))).toBe(7)
    }
  })

  test('error: the bytes are counted even if content-length is small', async () => {
    const body = pieces(...Array.from({ length: 50 }, () => new Uint8Array(40)))
    const headers = { 'content-length': '10', 'transfer-encoding': 'chunked' }
    expect(await factsOf(postJson(url, '{}', optionsOf(answering(body.stream, { headers }))))).toEqual({
      ...transport('the answer is larger than 100 bytes'),
      retryable: true,
    })
    expect([body.pulled(), body.cancelled()]).toEqual([3, true])
  })

  test('error: JSON that is nested too deep is rejected before it is parsed', async () => {
    using parse = spyOn(JSON, 'parse')
    const options = optionsOf(answering('['.repeat(200)), { maxBodyBytes: 1_000 })
    const error = await postJson(url, '{}', options).catch((thrown: unknown) => thrown)
    expect(parse).not.toHaveBeenCalled()
    expect(error).toEqual(new TransportError('the answer is nested deeper than 128 levels'))
  })

  test('error: JSON with too many members is rejected before it is parsed', async () => {
    using parse = spyOn(JSON, 'parse')
    const body = JSON.stringify(Array.from({ length: 16_385 }, () => ({ a: 0 })))
    const options = optionsOf(answering(body), { maxBodyBytes: 1_000_000 })
    const error = await postJson(url, '{}', options).catch((thrown: unknown) => thrown)
    expect(parse).not.toHaveBeenCalled()
    expect(error).toEqual(new TransportError('the answer is larger than 16384 object members'))
  })

  test.each(['', '<html>', '{"result":', 'undefined'])('error: %p is not JSON', async (body) => {
    expect(await factsOf(postJson(url, '{}', optionsOf(answering(body))))).toEqual({
      ...transport('the answer is not JSON'),
      retryable: true,
    })
  })

  test('error: an answer without a body is not JSON', async () => {
    expect(await factsOf(postJson(url, '{}', optionsOf(answering(null, { status: 204 }))))).toEqual({
      ...transport('the answer is not JSON'),
      retryable: true,
    })
  })

  const statuses: [number, boolean][] = [
    [301, true],
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [408, true],
    [413, false],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
    [504, true],
  ]
  test.each(statuses)('error: HTTP %p can be tried again: %p', async (status, retryable) => {
    const body = pieces(new Uint8Array(10))
    expect(await factsOf(postJson(url, '{}', optionsOf(answering(body.stream, { status }))))).toEqual({
      ...transport(`HTTP ${status}`, status),
      retryable,
    })
    expect(body.cancelled()).toBeTrue()
  })

  test('error: HTTP 429 has the time to wait', async () => {
    const fetch = answering('', { status: 429, headers: { 'retry-after': '7' } })
    expect(await factsOf(postJson(url, '{}', optionsOf(fetch)))).toEqual({
      ...transport('HTTP 429', 429, 7_000),
      retryable: true,
    })
  })

  test('behavior: only 429 and 503 may ask for time, and for no more than is honoured', async () => {
    const waits: unknown[] = []
    for (const status of [404, 500, 502, 503, 504, 429]) {
      const fetch = answering('', { status, headers: { 'retry-after': '3600' } })
      waits.push(await factsOf(postJson(url, '{}', optionsOf(fetch))))
    }
    expect(waits).toMatchObject(
      [null, null, null, 30_000, null, 30_000].map((retryAfterMs) => ({ retryAfterMs })),
    )
  })

  test('error: an aborted call rejects with the reason of the abort', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const call = postJson(url, '{}', optionsOf(hanging, { signal: controller.signal }))
    controller.abort(reason)
    expect(await call.catch((error: unknown) => error)).toBe(reason)
  })

  test('error: the error of fetch is not shown, because it may contain the URL', async () => {
    const secret = 'http://user:password@node.test/rpc?key=secret'
    const fetch: Fetch = async () => {
      throw new TypeError(`Failed to parse URL from ${secret}`)
    }
    const error = await postJson(secret, '{}', optionsOf(fetch)).catch((thrown: unknown) => thrown)
    expect(error).toEqual(new TransportError('the connection failed'))
    expect(Bun.inspect(error)).not.toMatch(/password|secret/)
  })

  test('error: nothing listens', async () => {
    const call = postJson(
      await deadNodeUrl(),
      '{}',
      optionsOf((...args) => fetch(...args)),
    )
    expect(await factsOf(call)).toEqual({ ...transport('the connection failed'), retryable: true })
  })

  test.each([
    ['a page', html],
    ['half of the JSON', truncatedJson],
  ])('error: a real node answers with %s', async (_, fault) => {
    await using node = await startFaultyNode(() => ({ result: {} }), always(fault))
    const body = JSON.stringify({ id: 1, method: 'info_get_status' })
    const call = postJson(
      node.url,
      body,
      optionsOf((...args) => fetch(...args)),
    )
    expect(await factsOf(call)).toEqual({ ...transport('the answer is not JSON'), retryable: true })
  })
})
