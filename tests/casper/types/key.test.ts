import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError } from '../../../src/bytes/cursor.ts'
import { encodeHex } from '../../../src/bytes/hex.ts'
import { dictionaryKey, encodeKey, printAddressKey } from '../../../src/casper/types/key.ts'
import { fromHex } from '../../bytes/decoding.ts'

const hash = '5c'.repeat(32)

const keys: [string, string][] = [
  [`account-hash-${hash}`, '00'],
  [`hash-${hash}`, '01'],
  [`transfer-${hash}`, '03'],
  [`deploy-${hash}`, '04'],
  [`balance-${hash}`, '06'],
  [`bid-${hash}`, '07'],
  [`withdraw-${hash}`, '08'],
  [`dictionary-${hash}`, '09'],
  [`era-summary-${hash}`, '0b'],
]

describe('encodeKey and printAddressKey', () => {
  test.each(keys)('default: %s', (text, tag) => {
    expect(encodeHex(encodeKey(text))).toBe(tag + hash)
    expect(printAddressKey(createCursor(fromHex(tag + hash), 'key'))).toBe(text)
  })

  test('behavior: global state has a URef without rights, a named key with them', () => {
    expect(encodeHex(encodeKey(`uref-${hash}-007`))).toBe(`02${hash}00`)
    expect(printAddressKey(createCursor(fromHex(`02${hash}07`), 'key'))).toBe(`uref-${hash}-007`)
    expect(printAddressKey(createCursor(fromHex(`02${hash}00`), 'key'))).toBe(`uref-${hash}-000`)
  })

  test('behavior: the key of a dictionary item', () => {
    expect(dictionaryKey(fromHex(hash))).toEqual(encodeKey(`dictionary-${hash}`))
  })

  test.each([
    '',
    hash,
    `hash-${hash}0`,
    `hash-${hash.toUpperCase()}`,
    `hash-${hash}-007`,
    `uref-${hash}`,
    `uref-${hash}-009`,
    `contract-${hash}`,
    `toString-${hash}`,
    ` hash-${hash}`,
  ])('error: %p is no key', (text) => {
    expect(() => encodeKey(text)).toThrow(
      new DecodeError('Key', `${JSON.stringify(text.slice(0, 100))} is no key of global state`),
    )
  })

  test('error: a tag that is unknown', () => {
    for (const tag of ['05', '0a', '0c', 'ff'])
      expect(() => printAddressKey(createCursor(fromHex(tag + hash), 'key'))).toThrow(
        new DecodeError('Key', `tag ${Number.parseInt(tag, 16)} is unknown`),
      )
  })
})
