import { describe, expect, test } from 'bun:test'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { createEndpointOf, PathEncodingError, urlPath, urlQuery } from '../../../src/server/http/paths.ts'
import { createFakeClient } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

for (const [url, path, query] of [
  ['http://localhost:4030/v1/feeds?a=b', '/v1/feeds', 'a=b'],
  ['http://localhost/', '/', ''],
  ['http://a/v1/x', '/v1/x', ''],
  ['http://[::1]:1/x?y?z', '/x', 'y?z'],
  ['/v1/feeds', '/v1/feeds', ''],
  ['//v1?', '//v1', ''],
  ['/a?b=http://c/d', '/a', 'b=http://c/d'],
  ['http://h/a%2Fb%3F?%3F', '/a%2Fb%3F', '%3F'],
  ['example.com:443', 'example.com:443', ''],
  ['[::1]:443', '[::1]:443', ''],
  ['a?b=http://c/d', 'a', 'b=http://c/d'],
] as const)
  describe(url, () => {
    test(`default: its path is ${path}`, () => expect(urlPath(url)).toBe(path))
    test(`default: its query is ${JSON.stringify(query)}`, () => expect(urlQuery(url)).toBe(query))
  })

test('error: PathEncodingError has the path as sent', () => {
  const { code, retryable, path } = new PathEncodingError({ path: '%ff' })
  expect({ code, retryable, path }).toEqual({ code: 'path_encoding', retryable: false, path: '%ff' })
})

const asked: string[] = []
const getReading = async (id: string) => {
  asked.push(id)
  return null
}
const app = createTestApp({ client: createFakeClient({ getReading }) })

/** The id that the client reads; null for a 400. */
async function idAskedAt(path: string): Promise<string | null> {
  asked.length = 0
  const { status } = await answerOf(app, `/v1/feeds/${path}`)
  const [id] = asked
  expect([status, asked.length]).toEqual(id === undefined ? [400, 0] : [404, 1])
  return id ?? null
}

test('default: any id survives encodeURIComponent', () =>
  fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, minLength: 1 }), async (id) => {
      fc.pre(!['.', '..'].includes(id))
      expect(await idAskedAt(`${encodeURIComponent(id)}?x=1`)).toBe(id)
    }),
  ))

test('behavior: any percent-encoded bytes are an id or a 400', () =>
  fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1 }), async (bytes) => {
      const encoded = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      const expected = decodeUtf8(bytes)
      fc.pre(expected !== '.' && expected !== '..')
      expect(await idAskedAt(encoded)).toBe(expected)
    }),
  ))

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const endpointOf = createEndpointOf(() => ['/', '/v1/feeds', '/v1/feeds/:id', '/health'])

for (const [path, endpoint] of [
  ['/', '/'],
  ['//', null],
  ['/health', '/health'],
  ['/health/', '/health'],
  ['/health//', null],
  ['/v1/feeds', '/v1/feeds'],
  ['/v1/feeds/', '/v1/feeds'],
  ['/v1/feeds/x', '/v1/feeds/:id'],
  ['/v1/feeds/x/', '/v1/feeds/:id'],
  ['/v1/feeds/:id', '/v1/feeds/:id'],
  ['/v1/feeds/%2F', '/v1/feeds/:id'],
  ['/v1/feeds//', null],
  ['/v1/feeds/x/y', null],
  ['/v1/feeds/x//', null],
  ['', null],
] as const)
  test(`default: ${path || 'nothing'} belongs to ${endpoint}`, () => expect(endpointOf(path)).toBe(endpoint))

// The router decides which paths exist: both must know the same paths.
for (const path of [
  '/',
  '/health',
  '/health/',
  '/v1/feeds',
  '/v1/feeds/',
  '/v1/datasets/',
  '/openapi/',
  '/openapi/json/',
])
  test(`behavior: the router finds ${path} too`, async () => {
    expect((await ask(createTestApp(), path)).status).toBe(200)
  })
