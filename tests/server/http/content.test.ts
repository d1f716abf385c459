import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { contentResponse, createContent } from '../../../src/server/http/content.ts'

const long = JSON.stringify({ text: 'é'.repeat(2_000) })

const get = (acceptEncoding: string | null, headers: Record<string, string> = {}) =>
  new Request('http://localhost/', {
    headers: { ...headers, ...(acceptEncoding === null ? {} : { 'accept-encoding': acceptEncoding }) },
  })

async function codingOf(
  acceptEncoding: string | null,
  content = createContent(long),
): Promise<string | null> {
  return (await contentResponse(get(acceptEncoding), content)).headers.get('content-encoding')
}

describe('Accept-Encoding', () => {
  test.each([
    [null, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.9', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0.2, identity;q=0.8', null],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['deflate, zstd', null],
    ['nonsense;;q', null],
  ])('default: %p gets %p', async (acceptEncoding, coding) => {
    expect(await codingOf(acceptEncoding)).toBe(coding)
  })

  test('behavior: less than 1 kB is not worth it, and does not vary', async () => {
    const content = createContent(JSON.stringify('a'.repeat(900)))
    const { headers } = await contentResponse(get('gzip'), content)
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, null])
  })

  test('behavior: compressed content is not compressed again', async () => {
    const content = createContent(new Uint8Array(5_000), 'application/vnd.apache.parquet')
    expect(await codingOf('gzip', content)).toBeNull()
  })
})

describe('contentResponse', () => {
  const content = createContent(long)

  test('default: each coding has the same text, its own ETag and a Vary header', async () => {
    const answers = await Promise.all(
      [null, 'gzip', 'br'].map((coding) => contentResponse(get(coding), content)),
    )
    const [plain, gzip, br] = await Promise.all(answers.map((answer) => answer.bytes()))
    expect(new TextDecoder().decode(plain)).toBe(long)
    expect(new TextDecoder().decode(Bun.gunzipSync(gzip ?? new Uint8Array()))).toBe(long)
    expect(brotliDecompressSync(br ?? new Uint8Array()).toString()).toBe(long)
    const digest = new Bun.CryptoHasher('sha256').update(long).digest('hex').slice(0, 16)
    expect(answers.map(({ headers }) => [headers.get('etag'), headers.get('vary')])).toEqual(
      ['', '-gzip', '-br'].map((coding) => [`"${digest}${coding}"`, 'Accept-Encoding']),
    )
  })

  test('behavior: 304 for the ETag of the requested coding, without Content-Encoding', async () => {
    const etag = (await contentResponse(get('gzip'), content)).headers.get('etag') ?? ''
    const same = await contentResponse(get('gzip', { 'if-none-match': etag }), content)
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag])
    expect([same.headers.get('content-encoding'), same.headers.get('vary')]).toEqual([
      null,
      'Accept-Encoding',
    ])
    expect((await contentResponse(get(null, { 'if-none-match': etag }), content)).status).toBe(200)
    // The shared headers stay unchanged.
    expect(await codingOf('gzip', content)).toBe('gzip')
  })

  test('behavior: hashed and compressed once for concurrent requests', async () => {
    const fresh = createContent(long)
    const [first, second] = await Promise.all([1, 2].map(() => fresh.formFor(get('gzip'))))
    expect(first?.body.length).toBeLessThan(long.length)
    expect(second).toBe(first as NonNullable<typeof first>)
    expect(fresh.formFor(get('gzip'))).toBe(first as NonNullable<typeof first>)
    expect(fresh.plain()).toBe(fresh.plain())
  })

  test('behavior: an answer that must not be stored has no ETag', async () => {
    const unstored = { 'cache-control': 'no-store' }
    const answers = await Promise.all(
      [null, 'gzip'].map((coding) => contentResponse(get(coding), content, unstored)),
    )
    expect(answers.map(({ headers }) => [headers.get('etag'), headers.get('cache-control')])).toEqual([
      [null, 'no-store'],
      [null, 'no-store'],
    ])
  })

  test('behavior: own headers take precedence', () => {
    const extra = { 'cache-control': 'public, max-age=9', 'x-a': '1' }
    expect(content.plain().headers(extra)).toMatchObject(extra)
    expect(content.plain().headers({})['cache-control']).toBe('no-cache')
  })
})
