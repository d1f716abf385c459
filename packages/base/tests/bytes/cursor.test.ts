import { describe, expect, test } from 'bun:test'
import { string, u8, u32, u64, u512 } from '@wattfeed/testing/bytesrepr'
import { anyBytes, anyText, anyU64, anyU512, assertTyped, fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { type Cursor, createCursor, DecodeError } from '../../src/bytes/cursor.ts'
import { WattfeedError } from '../../src/errors.ts'

const cursorOf = (hex: string): Cursor => createCursor(fromHex(hex), 'Thing')

describe('createCursor', () => {
  test('default: reads one value after another', () => {
    const cursor = cursorOf(`${u8(255)}${u32(4_294_967_295)}${u64(2n ** 64n - 1n)}${string('€/MWh')}aabbcc`)
    expect([cursor.u8(), cursor.u32(), cursor.u64(), cursor.string()]).toEqual([
      255,
      4_294_967_295,
      18_446_744_073_709_551_615n,
      '€/MWh',
    ])
    expect(cursor.bytes(2)).toEqual(new Uint8Array([0xaa, 0xbb]))
    expect(cursor.rest()).toEqual(new Uint8Array([0xcc]))
    cursor.end()
  })

  test('behavior: integers are little-endian', () => {
    expect(cursorOf('01020304').u32()).toBe(0x04030201)
    expect(cursorOf('0102030405060708').u64()).toBe(0x0807060504030201n)
    expect(cursorOf('020102').bigUint(64)).toBe(0x0201n)
  })

  test('behavior: an integer of no bytes is zero', () => {
    const cursor = cursorOf('00')
    expect(cursor.bigUint(64)).toBe(0n)
    cursor.end()
  })

  test('behavior: an integer of as many bytes as allowed is read', () => {
    expect(cursorOf(`40${'ff'.repeat(64)}`).bigUint(64)).toBe(2n ** 512n - 1n)
  })

  test('behavior: a byte order mark and a null character are text', () => {
    expect(cursorOf(string('\ufefftext\0')).string()).toBe('\ufefftext\0')
  })

  test('behavior: an empty text, no bytes and an empty rest take nothing', () => {
    const cursor = cursorOf(u32(0))
    expect(cursor.string()).toBe('')
    expect(cursor.bytes(0)).toEqual(new Uint8Array())
    expect(cursor.rest()).toEqual(new Uint8Array())
    cursor.end()
  })

  test('behavior: reads the part of a buffer that it was given', () => {
    const whole = fromHex('00000701000000ff')
    const cursor = createCursor(whole.subarray(2, 7), 'Thing')
    expect([cursor.u8(), cursor.u32()]).toEqual([7, 1])
    expect(() => cursor.u8()).toThrow(DecodeError)
  })

  const tooShort: [string, string, (cursor: Cursor) => unknown, string][] = [
    ['u8', '', (cursor) => cursor.u8(), 'expected 1 bytes at offset 0, input has 0'],
    ['u32', '010203', (cursor) => cursor.u32(), 'expected 4 bytes at offset 0, input has 3'],
    ['u64', '01020304050607', (cursor) => cursor.u64(), 'expected 8 bytes at offset 0, input has 7'],
    ['bigUint', '0201', (cursor) => cursor.bigUint(64), 'expected 2 bytes at offset 1, input has 2'],
    ['string', '0500000061626364', (cursor) => cursor.string(), 'expected 5 bytes at offset 4, input has 8'],
    [
      'string',
      'ffffffff61',
      (cursor) => cursor.string(),
      'expected 4294967295 bytes at offset 4, input has 5',
    ],
    ['bytes', '0102', (cursor) => cursor.bytes(3), 'expected 3 bytes at offset 0, input has 2'],
  ]
  test.each(tooShort)('error: %s of %p ends too early', (_, hex, read, rule) => {
    expect(() => read(cursorOf(hex))).toThrow(new DecodeError('Thing', rule))
  })

  test('error: an integer is longer than allowed', () => {
    expect(() => cursorOf(`41${'00'.repeat(65)}`).bigUint(64)).toThrow(
      new DecodeError('Thing', 'an integer of 65 bytes exceeds the limit of 64'),
    )
  })

  test.each(['ff', 'c080', 'eda080', 'f4908080'])('error: the text %p is not UTF-8', (hex) => {
    expect(() => cursorOf(u32(hex.length / 2) + hex).string()).toThrow(
      new DecodeError('Thing', 'text is not UTF-8'),
    )
  })

  test('error: bytes are left over', () => {
    const cursor = cursorOf('010203')
    cursor.u8()
    expect(() => cursor.end()).toThrow(new DecodeError('Thing', '2 trailing bytes'))
  })

  test('error: DecodeError has the name of the data and the violated rule', () => {
    const error = new DecodeError('Feed', 'text is not UTF-8')
    expect(error).toBeInstanceOf(WattfeedError)
    expect({ ...error, name: error.name, message: error.message }).toEqual({
      name: 'DecodeError',
      code: 'decode',
      retryable: true,
      what: 'Feed',
      rule: 'text is not UTF-8',
      kind: 'formatting',
      message: 'cannot decode Feed: text is not UTF-8',
    })
  })

  test('behavior: written values are read back', () => {
    const fields = fc.tuple(fc.nat({ max: 255 }), fc.nat({ max: 2 ** 32 - 1 }), anyU64, anyU512, anyText)
    fc.assert(
      fc.property(fields, ([byte, word, long, huge, text]) => {
        const cursor = cursorOf(u8(byte) + u32(word) + u64(long) + u512(huge) + string(text))
        const read = [cursor.u8(), cursor.u32(), cursor.u64(), cursor.bigUint(64), cursor.string()]
        cursor.end()
        expect(read).toEqual([byte, word, long, huge, text])
      }),
    )
  })

  test('behavior: any reads of any bytes give values or a DecodeError, and never read past the end', () => {
    const reads: ((cursor: Cursor) => unknown)[] = [
      (cursor) => cursor.u8(),
      (cursor) => cursor.u32(),
      (cursor) => cursor.u64(),
      (cursor) => cursor.bigUint(64),
      (cursor) => cursor.string(),
      (cursor) => cursor.bytes(3),
      (cursor) => cursor.end(),
    ]
    fc.assert(
      fc.property(anyBytes, fc.array(fc.constantFrom(...reads)), (bytes, sequence) => {
        const padded = new Uint8Array(bytes.length + 100).fill(0x41)
        padded.set(bytes)
        const cursor = createCursor(padded.subarray(0, bytes.length), 'Thing')
        assertTyped(() => {
          for (const read of sequence) read(cursor)
        })
        expect(cursor.rest().length).toBeLessThanOrEqual(bytes.length)
      }),
    )
  })
})
