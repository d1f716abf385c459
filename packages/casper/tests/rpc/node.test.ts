import { describe, expect, test } from 'bun:test'
import { parseNode } from '../../src/rpc/node.ts'

const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`

describe('parseNode', () => {
  test('default: go into a header, because fetch rejects them', () => {
    expect(parseNode('https://user:secret@node.test:8080/rpc?key=1')).toMatchObject({
      url: 'https://node.test:8080/rpc?key=1',
      host: 'node.test:8080',
      headers: { authorization: basic('user:secret') },
    })
  })

  test('behavior: are decoded first', () => {
    expect(parseNode('https://us%40er:pa%3Ass%2Fword@node.test/').headers).toEqual({
      authorization: basic('us@er:pa:ss/word'),
    })
  })

  test('behavior: may lack the password', () => {
    expect(parseNode('https://token@node.test/').headers).toEqual({ authorization: basic('token:') })
  })

  test('behavior: may lack the user', () => {
    expect(parseNode('https://:secret@node.test/').headers).toEqual({ authorization: basic(':secret') })
  })

  // RFC 7617 uses UTF-8.
  test('behavior: may hold any character', () => {
    expect(parseNode('https://user:€@node.test/').headers).toEqual({ authorization: basic('user:€') })
  })

  test('behavior: may hold a percent sign that encodes nothing', () => {
    expect(parseNode('https://user:100%@node.test/').headers).toEqual({ authorization: basic('user:100%') })
  })

  test('behavior: redacts the secrets of its URL, in any encoding', () => {
    const { redact } = parseNode('https://user:s3cret%2F@node.test/t0ken-in-the-path/rpc?key=qu3ry')
    expect(redact('I am S3CRET%252f, t0ken-in-the-path and qu3ry')).toBe(
      'I am [redacted], [redacted] and [redacted]',
    )
  })

  test('behavior: cuts a text of a node to 10,000 characters', () => {
    expect(parseNode('https://node.test').redact('x'.repeat(20_000))).toHaveLength(10_000)
  })
})
