import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { httpFiles } from '../src/httpFiles.ts'

const url = 'https://user:s3cret@data.test/roots/ab/?token=s3cret'

/** Files of a server that answers this, and its requests. */
function filesFrom(answer: () => Promise<Response> | Response, timeoutMs = 60_000) {
  const requests: [string, RequestInit][] = []
  const fetch = async (address: string, init: RequestInit) => {
    requests.push([address, init])
    return answer()
  }
  return { files: httpFiles(url, { timeoutMs, fetch }), requests }
}

describe('httpFiles', () => {
  test('default: a file below the URL, without compression and redirects', async () => {
    const { files, requests } = filesFrom(() => new Response(Uint8Array.of(0, 255, 128)))
    expect(await files.read('tile/0/x001/000', 3)).toEqual(Uint8Array.of(0, 255, 128))
    const [[address, init] = ['', {}]] = requests
    expect(address).toBe('https://user:s3cret@data.test/roots/ab/tile/0/x001/000?token=s3cret')
    expect(init).toMatchObject({ redirect: 'manual', headers: { 'accept-encoding': 'identity' } })
  })

  test('default: null for a file that is missing', async () => {
    const { files } = filesFrom(() => new Response('<h1>not found</h1>', { status: 404 }))
    expect(await files.read('index', 3)).toBeNull()
  })

  test.each([
    ['more bytes than allowed', () => new Response('1234')],
    ['a length that is larger', () => new Response('1', { headers: { 'content-length': '4' } })],
  ])('error: %s', async (_, answer) => {
    const { files } = filesFrom(answer)
    expect(await errorOf(files.read('index', 3))).toMatchObject({
      code: 'dataset',
      message: 'index: is larger than 3 bytes',
    })
  })

  const redirect = { status: 302, headers: { location: 'https://other.test' } }
  test.each<[string, () => Promise<Response> | Response]>([
    ['answers HTTP 500', () => new Response('', { status: 500 })],
    ['answers HTTP 206', () => new Response('12', { status: 206 })],
    ['answers HTTP 302, a redirect, which is not followed', () => new Response('', redirect)],
    [
      'sends what is compressed in a way that cannot be unpacked',
      () => new Response('1', { headers: { 'content-encoding': 'gzip' } }),
    ],
    [
      'does not answer, or closes the connection early',
      () => Promise.reject(new TypeError('reset by s3cret')),
    ],
    ['does not answer within 1 ms', () => new Promise(() => {})],
  ])('error: the server %s', async (rule, answer) => {
    const { files } = filesFrom(answer, rule.includes('within') ? 1 : 60_000)
    expect(await errorOf(files.read('index', 3))).toMatchObject({
      code: 'http_files',
      retryable: true,
      message: `https://data.test/roots/ab/index ${rule}`,
    })
  })
})
