import { describe, expect, test } from 'bun:test'
import { parseNode } from '../../src/rpc/node.ts'

const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`

describe('parseNode', () => {
  test('default: user and password go into a header, because fetch rejects them', () => {
    expect(parseNode('https://user:secret@node.test:8080/rpc?key=1')).toMatchObject({
      url: 'https://node.test:8080/rpc?key=1',
      host: 'node.test:8080',
      headers: { authorization: basic('user:secret') },
    })
  })

  test.each([
    ['decoded first', 'us%40er:pa%3Ass%2Fword', 'us@er:pa:ss/word'],
    ['without a password', 'token', 'token:'],
    ['without a user', ':secret', ':secret'],
    // RFC 7617 uses UTF-8.
    ['of any character', 'user:€', 'user:€'],
    ['with a percent sign that encodes nothing', 'user:100%', 'user:100%'],
  ])('behavior: they are %s: %s', (_, written, sent) => {
    expect(parseNode(`https://${written}@node.test/`).headers).toEqual({ authorization: basic(sent) })
  })

  test('behavior: another value of the header belongs to the node with that host and port, and to no other', () => {
    const authorization = { 'node.test:8080': 't0ken-one', 'other.test': 'Bearer t0ken-two' }
    const headersOf = (url: string) => parseNode(url, authorization).headers
    expect(headersOf('https://node.test:8080/rpc')).toEqual({ authorization: 't0ken-one' })
    expect(headersOf('https://other.test:443/rpc')).toEqual({ authorization: 'Bearer t0ken-two' })
    for (const url of ['https://node.test/rpc', 'http://other.test:8080', 'http://other.test.evil.test'])
      expect(headersOf(url)).toEqual({})
    expect(parseNode('http://constructor/rpc', authorization).headers).toEqual({})
  })

  test('behavior: redacts that value, with its scheme and without', () => {
    const { redact } = parseNode('https://other.test', { 'other.test': 'Bearer t0ken/two' })
    expect(redact('Bearer t0ken/two, T0KEN%2Ftwo and t0ken-one')).toBe('[redacted], [redacted] and t0ken-one')
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
