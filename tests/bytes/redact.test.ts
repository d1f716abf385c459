import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRedact, REDACTED, urlSecrets } from '../../src/bytes/redact.ts'

describe('createRedact', () => {
  test('default: a secret as it is and as a URL spells it, everywhere', () => {
    const redact = createRedact(['k3y/+ "x'])
    expect(redact('a k3y/+ "x b ?q=k3y%2F%2B%20%22x&r=k3y%2F%2B+%22x')).toBe(
      `a ${REDACTED} b ?q=${REDACTED}&r=${REDACTED}`,
    )
  })

  test('behavior: of two secrets where one holds the other, nothing is left over', () => {
    expect(createRedact(['abcd', 'abcdef'])('abcdef abcd')).toBe(`${REDACTED} ${REDACTED}`)
  })

  test('behavior: no secret, or one so short that it is part of words, changes nothing', () => {
    expect([createRedact([])('text'), createRedact(['', 'te'])('text')]).toEqual(['text', 'text'])
  })

  test('behavior: whatever the secret is, the text does not hold it afterwards', () => {
    // A part of the mark itself cannot be struck out.
    const secret = fc.string({ minLength: 4, unit: 'binary' }).filter((text) => !REDACTED.includes(text))
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (text, before, after) => {
        fc.pre(!/[[\]]/.test(text))
        expect(createRedact([text])(before + text + after)).not.toContain(text)
      }),
    )
  })
})

describe('urlSecrets', () => {
  test('default: user, password, query values and tokens in the path, also decoded', () => {
    expect(
      new Set(urlSecrets('https://reader:p%40ss@node.test/v1/0123456789abcdef/rpc?key=qu3ry&v=1')),
    ).toEqual(new Set(['reader', 'p%40ss', 'p@ss', '0123456789abcdef', 'qu3ry', '1']))
  })

  test('behavior: a plain URL has none', () => {
    expect(urlSecrets('https://node.testnet.casper.network/rpc')).toEqual([])
  })

  test('behavior: what does not decode is taken as it is', () => {
    expect(urlSecrets('https://:%E0%A4@node.test/')).toContain('%E0%A4')
  })
})
