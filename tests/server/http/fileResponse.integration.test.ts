import { describe, expect, test } from 'bun:test'
import { createContent } from '../../../src/server/http/content.ts'
import {
  dispositionOf,
  fileResponse,
  RangeNotSatisfiableError,
} from '../../../src/server/http/fileResponse.ts'
import { listen } from '../../../src/server/listen.ts'
import { sendLine } from '../rawRequest.ts'
import { ask, createTestApp } from '../testApp.ts'

const text = `é${'0123456789'.repeat(200)}`
const bytes = new TextEncoder().encode(text)
const size = bytes.length
const content = createContent(text, 'text/csv')
const etag = content.plain().etag

const get = (headers: Record<string, string>) =>
  fileResponse(new Request('http://localhost/', { headers }), content)

describe('Range', () => {
  test.each([
    ['bytes=0-3', 0, 3],
    ['bytes=1-1', 1, 1],
    ['bytes=10-', 10, size - 1],
    ['bytes=-5', size - 5, size - 1],
    ['bytes=-262144', 0, size - 1],
    [`bytes=100-${size + 9}`, 100, size - 1],
    [`bytes=0-${'9'.repeat(400)}`, 0, size - 1],
    ['Bytes = 0 - 3', 0, 3],
  ])('default: %s are the bytes %p to %p', async (range, start, end) => {
    const response = await get({ range, 'accept-encoding': 'gzip' })
    const { headers } = response
    expect({
      status: response.status,
      body: await response.bytes(),
      range: headers.get('content-range'),
      etag: headers.get('etag'),
      coding: headers.get('content-encoding'),
      type: headers.get('content-type'),
    }).toEqual({
      status: 206,
      body: bytes.slice(start, end + 1),
      range: `bytes ${start}-${end}/${size}`,
      etag,
      coding: null,
      type: 'text/csv',
    })
  })

  test.each(['bytes=0-1,4-5', 'bytes=5-4', 'bytes=-', 'bytes=', 'bytes=a-b', 'lines=0-1', 'bytes=1.5-2'])(
    'behavior: %s gets the whole',
    async (range) => {
      const response = await get({ range })
      expect([response.status, await response.text()]).toEqual([200, text])
      expect(response.headers.get('accept-ranges')).toBe('bytes')
    },
  )

  test.each([`bytes=${size}-`, 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    'error: %s selects no bytes',
    (range) => {
      expect(() => get({ range })).toThrow(RangeNotSatisfiableError)
    },
  )

  test('behavior: If-Range with the ETag returns the range, any other the whole file', async () => {
    for (const [ifRange, status] of [
      [etag, 206],
      [`W/${etag}`, 200],
      ['"other"', 200],
      [etag.replace(/"$/, '-gzip"'), 200],
      ['Sun, 22 Nov 2026 10:00:00 GMT', 200],
    ] as const)
      expect([ifRange, (await get({ range: 'bytes=0-1', 'if-range': ifRange })).status]).toEqual([
        ifRange,
        status,
      ])
  })

  test('behavior: If-None-Match takes precedence over Range', async () => {
    for (const range of ['bytes=0-1', `bytes=${size}-`]) {
      const response = await get({ range, 'if-none-match': etag })
      expect([range, response.status, await response.text()]).toEqual([range, 304, ''])
    }
  })

  test('behavior: the whole file is compressed if the client accepts that', async () => {
    const response = await get({ 'accept-encoding': 'gzip' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(new TextDecoder().decode(Bun.gunzipSync(await response.bytes()))).toBe(text)
  })
})

describe('a file over HTTP', () => {
  test('default: HEAD returns the uncompressed length', async () => {
    const listener = listen({ fetch: createTestApp().fetch, port: 0, host: '127.0.0.1', deadlineMs: 1_000 })
    try {
      const get = await sendLine(listener.port, 'GET /v1/feeds.csv')
      const extra = 'Host: localhost\r\nAccept-Encoding: gzip\r\nRange: bytes=0-4\r\n'
      const head = await sendLine(listener.port, 'HEAD /v1/feeds.csv', extra)
      expect([head.status, head.body]).toEqual([200, ''])
      expect(head.headers).toMatchObject({
        'accept-ranges': 'bytes',
        'content-length': String(Buffer.byteLength(get.body)),
        etag: get.headers.etag ?? '',
      })
      const part = await sendLine(listener.port, 'GET /v1/feeds.csv', extra)
      expect([part.status, part.body, part.headers['content-length']]).toEqual([206, 'feed_', '5'])
    } finally {
      await listener.close()
    }
  })

  test('error: a range past the end is a 416 with the size', async () => {
    const response = await ask(createTestApp(), '/v1/feeds.csv', { headers: { range: 'bytes=9999-' } })
    expect([response.status, response.headers.get('content-range')]).toEqual([
      416,
      expect.stringMatching(/^bytes \*\/\d+$/),
    ])
    expect((await response.json()).error).toMatch(
      /^the range bytes=9999- selects no bytes of the file, which has \d+ bytes/,
    )
  })
})

test.each([
  ['a-b_c.1.csv', 'attachment; filename="a-b_c.1.csv"'],
  ['a b/é".csv', `attachment; filename="a_b___.csv"; filename*=UTF-8''a%20b%2F%C3%A9%22.csv`],
  ["(it's)*!~", `attachment; filename="_it_s____"; filename*=UTF-8''%28it%27s%29%2A%21%7E`],
])('default: the file name %p', (name, disposition) => {
  expect(dispositionOf(name)).toBe(disposition)
})
