import { expect, test } from 'bun:test'
import { createChainHeaders, formatEtag, isNotModified, matchesEtag } from '../../src/server/headers.ts'

test('default: an ETag stands in quotes', () => expect(formatEtag('ab')).toBe('"ab"'))

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

test('behavior: without If-None-Match everything is modified', () => {
  expect(isNotModified(new Request('http://localhost/'), '"ab"')).toBe(false)
})

test('default: ETag and state root of the root that is asked for', () => {
  const chainHeaders = createChainHeaders()
  for (const root of ['aa', 'bb', 'aa']) {
    const { etag, headers } = chainHeaders(root)
    expect(etag).toBe(`"${root}"`)
    expect(headers.toJSON()).toEqual({
      etag: `"${root}"`,
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, X-Casper-State-Root, Retry-After',
      'content-type': 'application/json',
      'x-casper-state-root': root,
    })
  }
})

test('behavior: made once while the root stays the same', () => {
  const chainHeaders = createChainHeaders()
  expect(chainHeaders('aa')).toBe(chainHeaders('aa'))
})
