import { describe, expect, test } from 'bun:test'
import { anyBytes, assertTyped } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { DecodeError } from '../../src/bytes/cursor.ts'
import { decodeHex, encodeHex } from '../../src/bytes/hex.ts'

describe('encodeHex', () => {
  test('default', () => {
    expect(encodeHex(new Uint8Array([0, 1, 0xab, 0xff]))).toBe('0001abff')
    expect(encodeHex(new Uint8Array())).toBe('')
  })
})

describe('decodeHex', () => {
  test('default', () => {
    expect(decodeHex('0001abff', 'Thing')).toEqual(new Uint8Array([0, 1, 0xab, 0xff]))
    expect(decodeHex('', 'Thing')).toEqual(new Uint8Array())
  })

  test('behavior: either case is read', () => {
    expect(decodeHex('aBFf', 'Thing')).toEqual(new Uint8Array([0xab, 0xff]))
  })

  test.each(['0', 'abc', 'zz', '0x00', ' 00', '00 ', '-1', '１１'])('error: %p is not hex', (text) => {
    expect(() => decodeHex(text, 'Thing')).toThrow(new DecodeError('Thing', 'expected hex'))
  })

  test('behavior: written values are read back', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(encodeHex(bytes)).toBe(Buffer.from(bytes).toString('hex'))
        expect(decodeHex(encodeHex(bytes), 'Thing')).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  test('behavior: any text gives bytes or a DecodeError', () => {
    const nearHex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFgx _') })
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearHex), (text) => {
        assertTyped(() => {
          expect(Buffer.from(decodeHex(text, 'Thing')).toString('hex')).toBe(text.toLowerCase())
        })
      }),
    )
  })
})
