import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError } from '@wattfeed/base'
import { anyBytes, assertTyped, fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { readAddress } from '../../src/odra/struct.ts'

const read = (hex: string): string => readAddress(createCursor(fromHex(hex), 'attester'))
const hash = '5bf7304d39cdc9c99b8a391234f6ad85c5fdcf41646a55493c3d35b68d6bb193'

describe('readAddress', () => {
  test('default', () => {
    expect(read(`00${hash}`)).toBe(`account-hash-${hash}`)
    expect(read(`01${hash}`)).toBe(`hash-${hash}`)
  })

  test('behavior: takes its own bytes and no more', () => {
    const cursor = createCursor(fromHex(`00${hash}beef`), 'attester')
    readAddress(cursor)
    expect(cursor.rest()).toEqual(fromHex('beef'))
  })

  test.each([2, 3, 255])('error: tag %p is not an address', (tag) => {
    const hex = tag.toString(16).padStart(2, '0')
    expect(() => read(hex + hash)).toThrow(
      new DecodeError('Address', `unknown tag ${tag}; expected 0 (account) or 1 (contract)`),
    )
  })

  test('error: a hash of 31 bytes', () => {
    expect(() => read(`00${hash.slice(2)}`)).toThrow(
      new DecodeError('attester', 'expected 32 bytes at offset 1, input has 32'),
    )
  })

  test('behavior: written values are read back', () => {
    const anyHash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(fc.constantFrom(0, 1), anyHash, (tag, bytes) => {
        const digits = Buffer.from(bytes).toString('hex')
        expect(read(`0${tag}${digits}`)).toBe(`${['account-hash', 'hash'][tag]}-${digits}`)
      }),
    )
  })

  test('behavior: any bytes give an address or a typed error', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => assertTyped(() => readAddress(createCursor(bytes, 'attester')))),
    )
  })
})
