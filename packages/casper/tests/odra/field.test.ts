import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError } from '@wattfeed/base'
import { list, string, u64 } from '@wattfeed/testing/bytesrepr'
import { anyBytes, anyText, anyU64, assertTyped, fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { decodeField } from '../../src/odra/field.ts'
import { readNumber } from '../../src/odra/struct.ts'

const readText = (hex: string): string => decodeField(fromHex(hex), 'Thing', (cursor) => cursor.string())

describe('decodeField', () => {
  test('default: the value inside a list of bytes', () => {
    expect(readText(list(string('€')))).toBe('€')
  })

  test('behavior: an empty list holds what takes no bytes', () => {
    expect(decodeField(fromHex(list('')), 'Thing', () => 'nothing')).toBe('nothing')
  })

  const broken: [string, string, string][] = [
    ['no length', '0000', 'expected 4 bytes at offset 0, input has 2'],
    ['a list that is too short', '050000000100', 'expected 5 bytes at offset 4, input has 6'],
    ['bytes after the list', `${list(string('a'))}00`, '1 trailing bytes'],
    ['bytes after the value', list(`${string('a')}0000`), '2 trailing bytes'],
    [
      'a value that is too short',
      `${list(string('ab').slice(0, -2))}`,
      'expected 2 bytes at offset 4, input has 5',
    ],
  ]
  test.each(broken)('error: %s', (_, hex, rule) => {
    expect(() => readText(hex)).toThrow(new DecodeError('Thing', rule))
  })

  test('behavior: written values are read back', () => {
    fc.assert(fc.property(anyText, (text) => expect(readText(list(string(text)))).toBe(text)))
  })

  test('behavior: any bytes give a value or a typed error', () => {
    const anyList = anyBytes.map((bytes) => fromHex(list(Buffer.from(bytes).toString('hex'))))
    fc.assert(
      fc.property(fc.oneof(anyBytes, anyList), (bytes) =>
        assertTyped(() => decodeField(bytes, 'Thing', (cursor) => [cursor.bigUint(64), cursor.string()])),
      ),
    )
  })
})

describe('readNumber', () => {
  const read = (value: bigint): number => readNumber(createCursor(fromHex(u64(value)), 'Thing'))

  test('default', () => {
    expect([0n, 20261120n, 2n ** 53n].map(read)).toEqual([0, 20261120, 9007199254740992])
  })

  test('behavior: above 2^53 it is the nearest double', () => {
    expect(read(2n ** 53n + 1n)).toBe(9007199254740992)
    expect(read(2n ** 53n + 3n)).toBe(9007199254740996)
    expect(read(2n ** 64n - 1n)).toBe(2 ** 64)
  })

  test('behavior: written values are read back', () => {
    fc.assert(fc.property(anyU64, (value) => expect(read(value)).toBe(Number(value))))
  })
})
