import { expect, test } from 'bun:test'
import { assert, property, uint8Array } from 'fast-check'
import { utf8Fault } from '../../src/engine/utf8Fault.ts'

test.each<[string, number[], string]>([
  ['a byte that starts nothing', [0x61, 0x80], 'invalid utf-8 sequence of 1 bytes from index 1'],
  ['an overlong form', [0xc0, 0x80], 'invalid utf-8 sequence of 1 bytes from index 0'],
  ['a surrogate', [0xed, 0xa0, 0x80], 'invalid utf-8 sequence of 1 bytes from index 0'],
  ['a third byte', [0xe2, 0x82, 0x41], 'invalid utf-8 sequence of 2 bytes from index 0'],
  ['a fourth byte', [0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x41], 'invalid utf-8 sequence of 3 bytes from index 2'],
  ['above the last character', [0xf4, 0x90, 0x80, 0x80], 'invalid utf-8 sequence of 1 bytes from index 0'],
  ['an end too early', [0x61, 0xf0, 0x9f], 'incomplete utf-8 byte sequence from index 1'],
])('error: %s', (_, bytes, fault) => {
  expect(utf8Fault(Uint8Array.from(bytes))).toBe(fault)
})

test('behavior: finds a fault exactly where a decoder throws', () => {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const isText = (bytes: Uint8Array): boolean => {
    try {
      utf8.decode(bytes)
      return true
    } catch {
      return false
    }
  }
  assert(property(uint8Array({ maxLength: 6 }), (bytes) => (utf8Fault(bytes) === null) === isText(bytes)))
  expect(utf8Fault(new TextEncoder().encode('é€😀'))).toBeNull()
})
