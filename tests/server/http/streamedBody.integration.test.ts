import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { nextTask } from '@wattfeed/base'
import { streamedBody } from '../../../src/server/http/streamedBody.ts'
import { listen } from '../../../src/server/listen.ts'
import { createMetrics } from '../../../src/server/metrics.ts'
import { canCountSegments, countSegments } from '../../support/segments.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { sendLine } from '../rawRequest.ts'
import { createTestApp } from '../testApp.ts'

const readings = Array.from({ length: 30 }, (_, index) =>
  readingOf({ feed_id: `${index}.${'F'.repeat(480)}` }),
)
const metrics = createMetrics()
for (let index = 0; index < 10; index++)
  metrics.observe.rpcCall({ method: 'chain_get_block', host: `${index}`, durationMs: 1, errorCode: null })
const app = createTestApp({
  metrics,
  // Bun's fault only shows after a real wait.
  client: createFakeClient({ readings, snapshot: () => nextTask() }),
})
const listener = listen({ fetch: app.fetch, port: 0, host: '127.0.0.1', deadlineMs: 10_000 })
const bodies = new Map<string, string | Uint8Array<ArrayBuffer>>()
const plain = listen({
  fetch: async (request) => {
    await nextTask()
    return new Response(streamedBody(request, bodies.get(new URL(request.url).pathname) ?? ''))
  },
  port: 0,
  host: '127.0.0.1',
  deadlineMs: 10_000,
})
afterAll(async () => {
  await Promise.all([listener.close(), plain.close()])
})

const origin = `http://127.0.0.1:${listener.port}`

describe.skipIf(!canCountSegments)('an answer of more than 14 kB', () => {
  for (const [path, headers] of [
    ['/v1/feeds', {}],
    ['/v1/status', {}],
    ['/metrics', {}],
    ['/v1/feeds.csv?q=f', {}],
    ['/v1/feeds.csv', { range: 'bytes=0-16999' }],
    [
      `/v1/readings?${readings
        .slice(0, 20)
        .map(({ feed_id }) => `id=${feed_id}`)
        .join('&')}`,
      {},
    ],
  ] as const)
    test(`default: ${path.slice(0, 20)} ${JSON.stringify(headers)} is sent in one write, with its length`, async () => {
      const fields: Record<string, string> = { ...headers }
      const { head, body, segments } = await countSegments(origin + path, fields)
      expect(body.length).toBeGreaterThanOrEqual(14_000)
      expect(head).not.toContain('chunked')
      expect(segments).toBe(1)
    })
})

test.each([0, 1, 13_999, 14_000, 16_384, 100_000, 3_000_000])(
  'default: %p characters arrive as they are',
  async (length) => {
    const text = 'é€a'.repeat(length).slice(0, length)
    bodies.set('/text', text)
    bodies.set('/bytes', new TextEncoder().encode(text))
    for (const path of ['text', 'bytes']) {
      const { headers, body } = await sendLine(plain.port, `GET /${path}`)
      expect(body === text).toBe(true)
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
      expect(headers['transfer-encoding']).toBeUndefined()
    }
  },
)

test('behavior: a client that leaves in the middle does not disturb the next', async () => {
  bodies.set('/long', 'a'.repeat(20_000_000))
  for (let count = 0; count < 5; count++) await leaveEarly(plain.port)
  const { body } = await sendLine(plain.port, 'GET /long')
  expect(body.length).toBe(20_000_000)
})

/** Reads the beginning of a long answer, and closes the connection. */
const leaveEarly = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /long HTTP/1.1\r\nHost: a\r\n\r\n'))
    socket.once('data', () => socket.destroy())
    socket.on('error', reject).on('close', () => resolve())
  })
