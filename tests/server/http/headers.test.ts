import { describe, expect, test } from 'bun:test'
import { createContent, formatEtag, isNotModified, matchesEtag } from '../../../src/server/http/content.ts'
import { formatCacheControl } from '../../../src/server/http/headers.ts'
import { readingOf } from '../fakeClient.ts'
import { ask, createTestApp } from '../testApp.ts'

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

describe('If-Match', () => {
  const app = createTestApp()
  const paths = [
    '/v1/feeds',
    '/v1/feeds.csv',
    '/v1/datasets',
    '/health',
    '/openapi/json',
    `/v1/feeds/${readingOf().feed_id}`,
    `/v1/feeds/${readingOf().feed_id}/history`,
    `/v1/feeds/${readingOf().feed_id}/history.csv`,
    `/v1/feeds/${readingOf().feed_id}/chart.svg`,
  ]
  const statusOf = async (path: string, headers: Record<string, string>, method = 'GET') =>
    (await ask(app, path, { method, headers })).status

  test.each(paths)('error: %s with the ETag of another answer is a 412 that says so', async (path) => {
    const { headers } = await ask(app, path)
    for (const ifMatch of ['"ab"', `W/${headers.get('etag')}`, '"ab", "cd"', '']) {
      const response = await ask(app, path, { headers: { 'if-match': ifMatch } })
      expect([response.status, response.headers.get('x-wattfeed-error'), await response.json()]).toEqual([
        412,
        'precondition_failed',
        {
          error: `If-Match: ${ifMatch} does not name the current answer, which has the ETag ${headers.get('etag')}`,
        },
      ])
      expect(await statusOf(path, { 'if-match': ifMatch }, 'HEAD')).toBe(412)
    }
  })

  test.each(paths)('behavior: %s with its own ETag is answered, in any coding', async (path) => {
    const gzip = { 'accept-encoding': 'gzip' }
    const plain = (await ask(app, path)).headers.get('etag') ?? ''
    const compressed = (await ask(app, path, { headers: gzip })).headers.get('etag') ?? ''
    for (const ifMatch of [plain, `"ab", ${plain}`, '*'])
      expect(await statusOf(path, { 'if-match': ifMatch })).toBe(200)
    for (const ifMatch of [plain, compressed, '*'])
      expect(await statusOf(path, { ...gzip, 'if-match': ifMatch })).toBe(200)
    // If-Match is evaluated first.
    expect(await statusOf(path, { 'if-match': plain, 'if-none-match': plain })).toBe(304)
    expect(await statusOf(path, { 'if-match': '"ab"', 'if-none-match': plain })).toBe(412)
  })

  test('behavior: a range of another file is a 412, also one past the end', async () => {
    const etag = (await ask(app, '/v1/feeds.csv')).headers.get('etag') ?? ''
    for (const [range, status] of [
      ['bytes=0-3', 206],
      ['bytes=99999-', 416],
    ] as const) {
      expect(await statusOf('/v1/feeds.csv', { range, 'if-match': etag })).toBe(status)
      expect(await statusOf('/v1/feeds.csv', { range, 'if-match': '"ab"' })).toBe(412)
    }
  })

  test('behavior: without effect on errors, and on answers without an ETag', async () => {
    expect(await statusOf('/v1/feeds/nope', { 'if-match': '"ab"' })).toBe(404)
    for (const path of ['/v1/status', '/metrics'])
      expect(await statusOf(path, { 'if-match': '"ab"' })).toBe(200)
  })
})
