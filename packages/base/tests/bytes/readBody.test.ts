import { describe, expect, test } from 'bun:test'
import { brotliCompressSync, constants, deflateSync } from 'node:zlib'
import { readText } from '../../src/bytes/readBody.ts'

class Refused extends Error {
  constructor(
    readonly reason: string,
    readonly kind: string,
  ) {
    super(reason)
  }
}

const read = (response: Response) => readText(response, 4, (reason, kind) => new Refused(reason, kind))

const cannotUnpack = { reason: 'compressed in a way that cannot be unpacked', kind: 'compressed' }

const encoded = (encoding: string, body: string | Uint8Array<ArrayBuffer>, length = 0) =>
  new Response(body, { headers: { 'content-encoding': encoding, 'content-length': String(length) } })

describe('readText', () => {
  test('default: a text of exactly the maximum number of bytes', async () => {
    expect(await read(new Response('äö'))).toBe('äö')
  })

  test.each([
    ['gzip', Bun.gzipSync('äö')],
    ['X-GZIP', Bun.gzipSync('äö')],
    ['deflate', deflateSync('äö')],
    ['br', brotliCompressSync('äö')],
    ['zstd', Bun.zstdCompressSync('äö')],
    ['Identity', Buffer.from('äö')],
    ['', Buffer.from('äö')],
  ])('behavior: a body with the encoding %p, which nobody asked for, is unpacked', async (encoding, body) => {
    expect(await read(encoded(encoding, new Uint8Array(body)))).toBe('äö')
  })

  test('behavior: the length of a compressed body is not that of its text, and an empty one is empty', async () => {
    expect(await read(encoded('gzip', Bun.gzipSync('äö'), 24))).toBe('äö')
    expect(await read(encoded('gzip', ''))).toBe('')
  })

  test('behavior: of a bomb, no more is unpacked than is allowed', async () => {
    const { DecompressionStream } = globalThis
    let unpacked = 0
    Object.assign(globalThis, {
      DecompressionStream: class extends DecompressionStream {
        override readonly readable = super.readable.pipeThrough(
          new TransformStream({
            transform(chunk: Uint8Array, controller) {
              unpacked += chunk.length
              controller.enqueue(chunk)
            },
          }),
        )
      },
    })
    const bomb = brotliCompressSync(Buffer.alloc(2 ** 26), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    })
    const error = await read(encoded('br', new Uint8Array(bomb))).catch((error: unknown) => error)
    Object.assign(globalThis, { DecompressionStream })
    expect(error).toMatchObject({ reason: 'larger than 4 bytes' })
    expect(unpacked).toBeLessThan(2 ** 20)
  })

  test.each<[string, Response, object]>([
    ['a body in an unknown encoding', encoded('x', '{}'), cannotUnpack],
    ['a body that is compressed twice', encoded('gzip, gzip', Bun.gzipSync('{}')), cannotUnpack],
    ['a body that is not in its encoding', encoded('br', '{}'), cannotUnpack],
    ['a compressed body that is cut', encoded('gzip', Bun.gzipSync('{}').slice(0, -1)), cannotUnpack],
    [
      'a body that is too large when it is unpacked',
      encoded('gzip', Bun.gzipSync('12345')),
      { reason: 'larger than 4 bytes', kind: 'size' },
    ],
    [
      'a compressed body that cannot become so small',
      encoded('gzip', new Uint8Array(1_033)),
      { reason: 'larger than 4 bytes', kind: 'size' },
    ],
    ['a body that is too large', new Response('12345'), { reason: 'larger than 4 bytes', kind: 'size' }],
    [
      'a body that is too large, and announced by no number',
      new Response('12345', { headers: { 'content-length': '5, 5' } }),
      { reason: 'larger than 4 bytes', kind: 'size' },
    ],
    [
      'a body that is announced as too large',
      new Response('1', { headers: { 'content-length': '5' } }),
      { reason: 'larger than 4 bytes', kind: 'size' },
    ],
  ])(
    'error: %s is refused with a reason for people and a kind for programs',
    async (_, response, refused) => {
      const error = await read(response).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(Refused)
      expect(error).toMatchObject(refused)
    },
  )
})
