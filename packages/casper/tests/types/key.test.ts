import { describe, expect, test } from 'bun:test'
import { DecodeError, encodeHex } from '@wattfeed/base'
import { fromHex } from '../../../../tests/support/decoding.ts'
import { dictionaryKey } from '../../src/types/key.ts'
import { encodeKey, formatKey } from '../../src/types/keyKinds.ts'

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

describe('encodeKey and formatKey', () => {
  test.each(keys)('default: %s', (text, tag) => {
    expect(encodeHex(encodeKey(text))).toBe(tag + hash)
    expect(formatKey(fromHex(tag + hash))).toBe(text)
  })

  test('behavior: global state has a URef without rights, a named key with them', () => {
    expect(encodeHex(encodeKey(`uref-${hash}-007`))).toBe(`02${hash}00`)
    expect(formatKey(fromHex(`02${hash}07`))).toBe(`uref-${hash}-007`)
    expect(formatKey(fromHex(`02${hash}00`))).toBe(`uref-${hash}-000`)
  })

  test('behavior: the key of a dictionary item', () => {
    expect(dictionaryKey(fromHex(hash))).toEqual(encodeKey(`dictionary-${hash}`))
  })

  test.each([
    '',
    hash,
    `hash-${hash}0`,
    `hash-${hash}-007`,
    `uref-${hash}`,
    `uref-${hash}-009`,
    `contract-${hash}`,
    `toString-${hash}`,
    ` hash-${hash}`,
  ])('error: %p is not a key', (text) => {
    expect(() => encodeKey(text)).toThrow(
      new DecodeError('Key', `expected a key of global state, got ${JSON.stringify(text.slice(0, 100))}`),
    )
  })
})
