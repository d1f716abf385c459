import { describe, expect, test } from 'bun:test'
import { list, string, u8, u32, u64, u512 } from '@wattfeed/testing/bytesrepr'
import { anyText, anyU64, anyU512 } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { createByteWriter, encodeString, encodeU64 } from '../../src/bytes/byteWriter.ts'

describe('createByteWriter', () => {
  test('default: writes one value after another', () => {
    const writer = createByteWriter()
      .u8(255)
      .u32(4_294_967_295)
      .u64(7)
      .bigUint(0n)
      .string('€/MWh')
      .bytes(Uint8Array.of(1, 2))
      .hex('aabb')
      .byteList(Uint8Array.of(3))
    expect(writer.finish().toHex()).toBe(
      `${u8(255)}${u32(4_294_967_295)}${u64(7)}00${string('€/MWh')}0102aabb${list('03')}`,
    )
  })

  test('behavior: a list is a count and its items', () => {
    const writer = createByteWriter()
    expect(writer.list([1n, 256n], writer.bigUint).finish().toHex()).toBe(`${u32(2)}01010200${u8(1)}`)
    expect(createByteWriter().list([], writer.bigUint).finish().toHex()).toBe(u32(0))
  })

  test('behavior: grows from any initial size, with any first write', () => {
    const written = fc.array(fc.tuple(anyText, anyU64, anyU512), { maxLength: 8 })
    fc.assert(
      fc.property(fc.nat({ max: 80 }), written, (capacity, values) => {
        const writer = createByteWriter(capacity)
        for (const [text, number, amount] of values) writer.u8(1).string(text).u64(number).bigUint(amount)
        const expected = values.map(
          ([text, number, amount]) => u8(1) + string(text) + u64(number) + u512(amount),
        )
        expect(writer.finish().toHex()).toBe(expected.join(''))
      }),
    )
  })

  test('behavior: later writes do not change a finished result', () => {
    const writer = createByteWriter().u8(1)
    const first = writer.finish()
    writer.u8(2)
    expect([first.toHex(), writer.finish().toHex()]).toEqual(['01', '0102'])
  })
})

describe('encodeString', () => {
  test('default', () => {
    expect(Buffer.from(encodeString('°F')).toString('hex')).toBe('03000000c2b046')
    expect(Buffer.from(encodeString('')).toString('hex')).toBe('00000000')
  })

  test('behavior: any text', () => {
    fc.assert(
      fc.property(anyText, (text) =>
        expect(Buffer.from(encodeString(text)).toString('hex')).toBe(string(text)),
      ),
    )
  })
})

describe('encodeU64', () => {
  test('default', () => {
    expect(Buffer.from(encodeU64(258)).toString('hex')).toBe('0201000000000000')
  })

  test('behavior: any integer that a number holds', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) =>
        expect(Buffer.from(encodeU64(value)).toString('hex')).toBe(u64(value)),
      ),
    )
  })
})
