import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  createEndpointOf,
  decodePath,
  feedIdFromUrl,
  PathEncodingError,
  urlPath,
  urlQuery,
} from '../../src/server/url.ts'
import { ask, createTestApp } from './testApp.ts'

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

for (const [path, decoded] of [
  ['a+b', 'a+b'],
  ['%2B%2f%C3%A9', '+/é'],
  ['%', null],
  ['%4', null],
  ['%C3%28', null],
  ['%ED%A0%80', null],
] as const)
  test(`default: ${path} is ${JSON.stringify(decoded)}`, () => expect(decodePath(path)).toBe(decoded))

test('error: PathEncodingError keeps the path as it was sent', () => {
  const { code, retryable, path } = new PathEncodingError('%ff')
  expect({ code, retryable, path }).toEqual({ code: 'path_encoding', retryable: false, path: '%ff' })
})

test('default: any id comes back from encodeURIComponent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (id) => {
      expect(feedIdFromUrl(`http://localhost/v1/feeds/${encodeURIComponent(id)}?x=1`)).toBe(id)
    }),
  )
})

test('behavior: any percent-encoded bytes are an id or a PathEncodingError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      const encoded = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      const expected = decodeUtf8(bytes)
      const read = () => feedIdFromUrl(`http://localhost/v1/feeds/${encoded}`)
      if (expected === null) expect(read).toThrow(PathEncodingError)
      else expect(read()).toBe(expected)
    }),
  )
})

test('behavior: the host does not matter, nor that there is none', () => {
  for (const origin of ['http://a', 'http://[::1]:4030', 'https://db.example:1', ''])
    expect(feedIdFromUrl(`${origin}/v1/feeds/a%2Fb`)).toBe('a/b')
})

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const endpointOf = createEndpointOf(['/', '/v1/feeds', '/v1/feeds/:id', '/health'])

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

// The router has the last word on what is found: neither may know a path that the other does not.
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
