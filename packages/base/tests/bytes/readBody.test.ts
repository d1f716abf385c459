import { describe, expect, test } from 'bun:test'
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

describe('readText', () => {
  test('default: a text of exactly the maximum number of bytes', async () => {
    expect(await read(new Response('äö'))).toBe('äö')
  })

  test.each<[string, Response, object]>([
    [
      'a compressed body',
      new Response('{}', { headers: { 'content-encoding': 'br' } }),
      { reason: 'compressed, which the request did not allow', kind: 'compressed' },
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
