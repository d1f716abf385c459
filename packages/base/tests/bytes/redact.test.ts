import { describe, expect, test } from 'bun:test'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { createRedact, REDACTED, urlSecrets } from '../../src/bytes/redact.ts'

describe('createRedact', () => {
  test('default: a secret as it is and as a URL spells it, everywhere', () => {
    const redact = createRedact(['k3y/+ "x'])
    expect(redact('a k3y/+ "x b ?q=k3y%2F%2B%20%22x&r=k3y%2F%2B+%22x')).toBe(
      `a ${REDACTED} b ?q=${REDACTED}&r=${REDACTED}`,
    )
  })

  test('behavior: if one secret contains another, nothing of it is left', () => {
    expect(createRedact(['abcd', 'abcdef'])('abcdef abcd')).toBe(`${REDACTED} ${REDACTED}`)
  })

  test('behavior: no secret, or one so short that it is part of words, changes nothing', () => {
    expect([createRedact([])('text'), createRedact(['', 'te'])('text')]).toEqual(['text', 'text'])
  })

  test('behavior: for any secret, the redacted text does not contain it', () => {
    // A part of the mark itself cannot be redacted.
    const secret = fc.string({ minLength: 4, unit: anyCharacter }).filter((text) => !REDACTED.includes(text))
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (text, before, after) => {
        fc.pre(!/[[\]]/.test(text))
        expect(createRedact([text])(before + text + after)).not.toContain(text)
      }),
    )
  })
})

describe('spellings', () => {
  const redact = createRedact(['p@ss/wörd "x"'])
  test.each([
    'p@ss/wörd "x"',
    'P@SS/WÖRD "X"',
    encodeURIComponent('p@ss/wörd "x"'),
    encodeURIComponent(encodeURIComponent('p@ss/wörd "x"')),
    'p%40ss%2fw%c3%b6rd+%22x%22',
    '%70%40%73%73/w%C3%B6rd "x"',
    JSON.stringify('p@ss/wörd "x"').slice(1, -1),
    JSON.stringify(JSON.stringify('p@ss/wörd "x"')).slice(3, -3),
    'p@ss\\/w\\u00f6rd \\u0022x\\"',
  ])('behavior: %p is struck', (spelling) => {
    expect(redact(`a ${spelling} b`)).toBe(`a ${REDACTED} b`)
  })

  // Counts steps instead of time: a quadratic number of them would never end.
  test('behavior: no text of a node takes long to look through', () => {
    const redact = createRedact(['p@ss/word', '%%%%%%', '\\\\\\\\x'])
    for (const text of ['\\', '%25', '%', 'p@ss/wor', '25', '\\u0070'])
      expect(redact(text.repeat(10_000))).not.toContain('password')
  })
})

describe('urlSecrets', () => {
  test('default: user, password, query values and tokens in the path, also decoded', () => {
    expect(
      new Set(urlSecrets('https://reader:p%40ss@node.test/v1/0123456789abcdef/rpc?key=qu3ry&v=1')),
    ).toEqual(
      new Set([
        'reader',
        'p%40ss',
        'p@ss',
        '0123456789abcdef',
        'qu3ry',
        '1',
        '/v1/0123456789abcdef/rpc?key=qu3ry&v=1',
        btoa('reader:p@ss').replaceAll('=', ''),
      ]),
    )
  })

  test('behavior: a plain URL has none', () => {
    expect(urlSecrets('https://node.testnet.casper.network/rpc')).toEqual([])
  })

  test('behavior: text that does not decode is used unchanged', () => {
    expect(urlSecrets('https://:%E0%A4@node.test/')).toContain('%E0%A4')
  })
})
