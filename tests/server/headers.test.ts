import { expect, test } from 'bun:test'
import {
  createChainHeaders,
  formatCacheControl,
  formatEtag,
  isNotModified,
  matchesEtag,
} from '../../src/server/headers.ts'

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

const at = (stateRootHash: string, version: string | null) => ({
  stateRootHash,
  getVersion: async () => version,
})

test('default: state root and version of the snapshot, and how long caches may keep the answer', async () => {
  const chainHeaders = createChainHeaders('public, max-age=60')
  for (const root of ['aa', 'bb', 'aa'])
    expect(await chainHeaders(at(root, 'f1.a2'))).toEqual({
      'cache-control': 'public, max-age=60',
      'x-casper-state-root': root,
      'x-wattfeed-version': 'f1.a2',
    })
})

test('behavior: made once for a state root', async () => {
  const chainHeaders = createChainHeaders('no-cache')
  const first = await chainHeaders(at('aa', 'f1.a2'))
  expect(chainHeaders(at('aa', 'f1.a2'))).toBe(first)
  expect(await chainHeaders(at('bb', 'f1.a3'))).toMatchObject({ 'x-wattfeed-version': 'f1.a3' })
})

test('behavior: a version that could not be read is asked for again', async () => {
  const chainHeaders = createChainHeaders('no-cache')
  expect(await chainHeaders(at('aa', null))).not.toHaveProperty('x-wattfeed-version')
  expect(await chainHeaders(at('aa', 'f1.a2'))).toMatchObject({ 'x-wattfeed-version': 'f1.a2' })
})

test('behavior: a version that there is not, or that cannot be read, leaves its header out', async () => {
  const chainHeaders = createChainHeaders('no-cache')
  const getVersion = () => Promise.reject(new Error('no node answers'))
  for (const snapshot of [at('aa', null), { stateRootHash: 'aa', getVersion }])
    expect(await chainHeaders(snapshot)).toEqual({ 'cache-control': 'no-cache', 'x-casper-state-root': 'aa' })
})

test.each([
  [0, 'no-cache'],
  [60, 'public, max-age=60'],
])('default: CACHE_MAX_AGE_S=%p is Cache-Control: %s', (maxAgeS, text) => {
  expect(formatCacheControl(maxAgeS)).toBe(text)
})
