import { describe, expect, test } from 'bun:test'
import { WattfeedError } from '@wattfeed/base'
import { httpFiles } from '../src/httpFiles.ts'

const URL_OF = 'https://user:pass@files.example.com/datasets/?key=1'

type Answer = (url: string, init: RequestInit) => Promise<Response>

const filesOf = (fetch: Answer) => httpFiles(URL_OF, { fetch, timeoutMs: 50 })

const errorOf = (fetch: Answer): Promise<unknown> =>
  filesOf(fetch)
    .read('tile/0/000', 64)
    .then(
      () => null,
      (error: unknown) => error,
    )

describe('httpFiles', () => {
  test('default: reads a file below the URL, without redirects and compression', async () => {
    const asked: unknown[] = []
    const files = filesOf(async (url, { redirect, headers }) => {
      asked.push([url, redirect, headers])
      return new Response('abc')
    })
    expect(await files.read('tile/0/x001/000.p/7', 3)).toEqual(new TextEncoder().encode('abc'))
    expect(asked).toEqual([
      [
        'https://user:pass@files.example.com/datasets/tile/0/x001/000.p/7?key=1',
        'manual',
        { 'accept-encoding': 'identity' },
      ],
    ])
  })

  test('behavior: 404 is a file that is missing', async () => {
    expect(await filesOf(async () => new Response('', { status: 404 })).read('index', 9)).toBeNull()
  })

  test.each<[string, Answer, string, string, boolean]>([
    [
      'a redirect',
      async () => new Response(null, { status: 302 }),
      'http_files',
      'which is not followed',
      true,
    ],
    ['an error', async () => new Response('x', { status: 500 }), 'http_files', 'answers HTTP 500', true],
    ['no content', async () => new Response(null, { status: 204 }), 'http_files', 'answers HTTP 204', true],
    [
      'a file that is too large',
      async () => new Response('x'.repeat(65)),
      'dataset',
      'larger than 64 bytes',
      false,
    ],
    [
      'no connection',
      () => Promise.reject(new TypeError('fetch failed')),
      'http_files',
      'does not answer',
      true,
    ],
    ['no answer', () => new Promise(() => {}), 'http_files', 'does not answer within 50 ms', true],
    [
      'compression',
      async () => new Response('x', { headers: { 'content-encoding': 'gzip' } }),
      'http_files',
      'compressed',
      true,
    ],
  ])('error: %s', async (_, fetch, code, words, retryable) => {
    const error = await errorOf(fetch)
    if (!(error instanceof WattfeedError)) throw new Error('it is an error of this project')
    expect([error.code, error.retryable, error.message]).toEqual([
      code,
      retryable,
      expect.stringContaining(words),
    ])
    expect(error.message).not.toContain('pass')
  })
})
