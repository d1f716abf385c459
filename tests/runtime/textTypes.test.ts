import { describe, expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { option, parseSecretOption } from '../../src/runtime/settings/option.ts'
import { parseText } from '../../src/runtime/settings/parseText.ts'
import { parseSettings } from '../../src/runtime/settings/settings.ts'
import {
  blockHash,
  chainName,
  hostAndPort,
  httpUrl,
  httpUrls,
  motes,
  oneOf,
  origin,
  packageHash,
  path,
  textOf,
  word,
} from '../../src/runtime/settings/textTypes.ts'

/** The value, or what the text must be. */
function outcome(schema: TSchema, text: string): unknown {
  try {
    return { value: parseText(schema, text) }
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

const table: [string, TSchema, unknown[], string[], string][] = [
  [
    'integer',
    Type.Integer({ minimum: 2, maximum: 9 }),
    ['2', '9', '007'],
    ['1', '10', '', '3.0', '1e1', '0x5', '-3', '+3', ' 3', '３'],
    'a whole number from 2 to 9',
  ],
  [
    'number',
    Type.Number({ exclusiveMinimum: 0, maximum: 10 }),
    ['0.5', '4', '10'],
    ['0', '0.0', '10.1', '-1', '1e1', '.5', 'Infinity'],
    'a number above 0, at most 10',
  ],
  [
    'motes',
    motes(),
    ['0', '2500000000'],
    ['2.5', '-1', '', '1e9'],
    'a whole number of motes (1 CSPR is 1000000000)',
  ],
  ['word', word('a name', {}), ['a', '::1'], ['a b', ''], 'a name without spaces'],
  [
    'chainName',
    chainName(),
    ['casper-net-1', 'a.b_c'],
    ['a b', 'a/b', ''],
    'a chain name: letters, digits, dots and dashes',
  ],
  [
    'hostAndPort',
    hostAndPort(),
    ['127.0.0.1:0', 'localhost:65535', '[::1]:4032'],
    ['4032', ':4032', 'a:', 'a:65536', 'a b:1', '::1:4032', '[::1]', 'http://a:1'],
    'host:port, such as 127.0.0.1:4032 or [::1]:4032',
  ],
  ['oneOf', oneOf(['a', 'b'], {}), ['a', 'b'], ['A', 'c', ''], 'one of a, b'],
  [
    'httpUrl',
    httpUrl(),
    ['http://a', 'https://user:pass@b/c?d=e'],
    ['ftp://user:pass@a', 'a', 'http://'],
    'a URL that begins with http:// or https:// (not shown, it may hold a password)',
  ],
]

describe.each(table)('%s', (_, schema, right, wrong, rule) => {
  test.each(right)('default: %p', (text) => {
    expect(outcome(schema, String(text))).toEqual({ value: expect.anything() })
  })

  test.each(wrong)('error: %p', (text) => {
    expect(outcome(schema, text)).toBe(rule)
  })
})

describe('values', () => {
  test('default: the values of the texts', () => {
    const texts: [TSchema, string][] = [
      [Type.Integer({ minimum: 0, maximum: 99 }), '7'],
      [Type.Number({ exclusiveMinimum: 0, maximum: 9 }), '2.5'],
      [motes(), '12'],
      [word('x', {}), 'y'],
      [path({}), 'my folder/a'],
      [Type.String({ maxLength: 2, error: 'short' }), '12'],
    ]
    expect(texts.map(([schema, text]) => parseText(schema, text))).toEqual([
      7,
      2.5,
      12n,
      'y',
      'my folder/a',
      '12',
    ])
  })

  test('default: a host and a port; an IPv6 address without brackets', () => {
    expect(parseText(hostAndPort(), 'localhost:80')).toEqual({ host: 'localhost', port: 80 })
    expect(parseText(hostAndPort(), '[::1]:4032')).toEqual({ host: '::1', port: 4032 })
  })

  test('error: a text that a function rejects', () => {
    const even = textOf('an even number', (text) => (Number(text) % 2 === 0 ? Number(text) : undefined))
    expect([outcome(even, '4'), outcome(even, '5')]).toEqual([{ value: 4 }, 'an even number'])
  })

  test('default: a package hash with or without hash-, in lower case', () => {
    const hash = 'ab'.repeat(32)
    expect([`hash-${hash.toUpperCase()}`, hash].map((text) => parseText(packageHash(), text))).toEqual([
      hash,
      hash,
    ])
    expect(outcome(packageHash(), 'ab')).toBe('64 hex digits, with or without "hash-" before them')
  })

  test('default: a block’s hash in lower case; the hash of a package is invalid', () => {
    const hash = 'ab'.repeat(32)
    expect(parseText(blockHash(), hash.toUpperCase())).toBe(hash)
    for (const other of [`hash-${hash}`, `${hash}0`, 'genesis', ''])
      expect(outcome(blockHash(), other)).toBe("a switch block's hash: 64 hex digits")
  })

  test('default: URLs, comma-separated; the one that is wrong is counted, not shown', () => {
    expect(parseText(httpUrls(), 'http://a, https://u:p@b/c')).toEqual(['http://a', 'https://u:p@b/c'])
    expect(outcome(httpUrls(), 'http://a,u:pa55@b')).toBe(
      'one URL or several, comma-separated, that begin with http:// or https:// (number 2 of 2 is not; not shown, it may hold a password)',
    )
  })
})

describe('a URL that is wrong', () => {
  const types = { httpUrl, httpUrls, origin }
  const texts = [
    'user:pa55@host',
    'htp://user:pa55@host',
    'ftp://host/?key=pa55',
    'http://host:pa55/?key=pa55',
  ]

  test.each(Object.entries(types))('error: %s is not shown by a setting or an option', (_, type) => {
    const settings = Type.Object({ URL: type({ description: 'where it is' }) })
    for (const text of texts) {
      expect(() => parseSettings(settings, { URL: text })).toThrow(/^URL must be /)
      expect(() => parseSecretOption('--url', type(), text)).toThrow(/^--url must be /)
      for (const parse of [
        () => parseSettings(settings, { URL: text }),
        () => parseSecretOption('--url', type(), text),
      ])
        expect(parse).toThrow(expect.objectContaining({ message: expect.not.stringContaining('pa55') }))
    }
    // Commander shows the text beside the error.
    expect(() => option(type())).toThrow(TypeError)
  })
})
