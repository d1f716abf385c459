import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Fetch,
  type PostJsonOptions,
  parseRetryAfter,
  postJson,
  TransportError,
} from '../../src/casper/postJson.ts'
import { always } from '../support/faultPlan.ts'
import { html, truncatedJson } from '../support/faults.ts'
import { deadNodeUrl, startFaultyNode } from '../support/faultyNode.ts'
import { elapse, stopClock } from './clock.ts'
import { factsOf } from './factsOf.ts'

const url = 'http://node.test/rpc'

const optionsOf = (fetch: Fetch, changes: Partial<PostJsonOptions> = {}): PostJsonOptions => ({
  fetch,
  headers: {},
  timeoutMs: 4_000,
  maxBodyBytes: 100,
  signal: new AbortController().signal,
  ...changes,
})

const answering =
  (body: BodyInit | null, init: ResponseInit = {}): Fetch =>
  async () =>
    new Response(body, init)

/** Never answers, as `fetch` does: until its signal says so. */
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

/** A body that comes in pieces and tells whether it was given up. */
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
    const asked: [string, RequestInit][] = []
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

  test('error: a packed body does not announce its size', async () => {
    const body = pieces(...Array.from({ length: 50 }, () => new Uint8Array(40)))
    const headers = { 'content-length': '50', 'content-encoding': 'gzip' }
    expect(await factsOf(postJson(url, '{}', optionsOf(answering(body.stream, { headers }))))).toEqual({
      ...transport('the answer is larger than 100 bytes'),
      retryable: true,
    })
    expect(body.cancelled()).toBeTrue()
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

  test('error: HTTP 429 tells how long to wait', async () => {
    const fetch = answering('', { status: 429, headers: { 'retry-after': '7' } })
    expect(await factsOf(postJson(url, '{}', optionsOf(fetch)))).toEqual({
      ...transport('HTTP 429', 429, 7_000),
      retryable: true,
    })
  })

  test('error: no answer within the time for one attempt', async () => {
    using _ = stopClock()
    let outcome: unknown = 'waits'
    factsOf(postJson(url, '{}', optionsOf(hanging, { timeoutMs: 500 }))).then((facts) => {
      outcome = facts
    })
    await elapse(499)
    expect(outcome).toBe('waits')
    await elapse(1)
    expect(outcome).toEqual({ ...transport('timed out after 500 ms'), retryable: true })
  })

  test('error: the time for one attempt holds for the body too', async () => {
    using _ = stopClock()
    const fetch: Fetch = async (_, init) => {
      const stream = new ReadableStream({
        start(controller) {
          init.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
        },
      })
      return new Response(stream)
    }
    const outcome = factsOf(postJson(url, '{}', optionsOf(fetch, { timeoutMs: 500 })))
    await elapse(500)
    expect(await outcome).toEqual({ ...transport('timed out after 500 ms'), retryable: true })
  })

  test('error: whoever aborts a call gets the own reason back', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const call = postJson(url, '{}', optionsOf(hanging, { signal: controller.signal }))
    controller.abort(reason)
    expect(await call.catch((error: unknown) => error)).toBe(reason)
  })

  test('error: what fetch throws does not show, because it may tell the URL', async () => {
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

describe('parseRetryAfter', () => {
  const now = Date.UTC(2026, 10, 20, 12, 0, 0)
  const headers: [string | null, number | null][] = [
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Fri, 20 Nov 2026 12:01:30 GMT', 90_000],
    ['Fri, 20 Nov 2026 11:59:59 GMT', 0],
    ['soon', null],
    ['', null],
    [' ', null],
    [null, null],
  ]
  test.each(headers)('default: %p means %p ms', (header, waitMs) => {
    expect(parseRetryAfter(header, now)).toBe(waitMs)
  })

  test('behavior: a date counts from now', () => {
    using _ = stopClock()
    const header = new Date(Date.now() + 60_000).toUTCString()
    expect(parseRetryAfter(header)).toBeGreaterThan(58_000)
  })

  test('behavior: any text gives a wait that is not negative, or null', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789 .:-+eGMT,') }))
    fc.assert(
      fc.property(texts, (header) => {
        const waitMs = parseRetryAfter(header, now)
        expect(waitMs === null || waitMs >= 0).toBeTrue()
      }),
    )
  })

  test('behavior: seconds and dates that were written are read', () => {
    fc.assert(
      fc.property(fc.nat(), (seconds) => {
        expect(parseRetryAfter(String(seconds), now)).toBe(seconds * 1000)
        const date = new Date(now + (seconds % 1e7) * 1000).toUTCString()
        expect(parseRetryAfter(date, now)).toBe((seconds % 1e7) * 1000)
      }),
    )
  })
})
