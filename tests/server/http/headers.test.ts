import { expect, test } from 'bun:test'
import { createContent, formatEtag, isNotModified, matchesEtag } from '../../../src/server/http/content.ts'
import { formatCacheControl } from '../../../src/server/http/headers.ts'

test('default: an ETag is quoted', () => expect(formatEtag('ab')).toBe('"ab"'))

for (const [ifNoneMatch, matches] of [
  ['"ab"', true],
  ['W/"ab"', true],
  ['*', true],
  [' * ', true],
  ['"x", "ab"', true],
  ['"x",W/"ab" , "y"', true],
  ['"x,y", "ab"', true],
  ['ab', false],
  ['"AB"', false],
  ['"abc"', false],
  ['w/"ab"', false],
  ['"x"', false],
  ['', false],
  ['"*"', false],
] as const)
  test(`default: If-None-Match: ${ifNoneMatch} ${matches ? 'names' : 'does not name'} "ab"`, () => {
    expect(matchesEtag(ifNoneMatch, '"ab"')).toBe(matches)
  })

test('behavior: without If-None-Match, every answer counts as modified', () => {
  expect(isNotModified(new Request('http://localhost/'), createContent('ab').plain())).toBe(false)
})

test.each([
  [0, 'no-cache'],
  [60, 'public, max-age=60'],
])('default: CACHE_MAX_AGE_S=%p is Cache-Control: %s', (maxAgeS, text) => {
  expect(formatCacheControl(maxAgeS)).toBe(text)
})
