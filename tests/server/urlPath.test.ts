import { describe, expect, test } from 'bun:test'
import { urlPath, urlQuery } from '../../src/server/urlPath.ts'

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
