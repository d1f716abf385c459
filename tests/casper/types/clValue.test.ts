import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DecodeError } from '../../../src/bytes/cursor.ts'
import { clValueBytes } from '../../../src/casper/types/clValue.ts'
import { anyBytes, assertTyped, fromHex, jsonLike } from '../../bytes/decoding.ts'

describe('clValueBytes', () => {
  test('default', () => {
    const stored = { CLValue: { cl_type: { List: 'U8' }, bytes: '0400000001020304', parsed: [1, 2, 3, 4] } }
    expect(clValueBytes(stored, 'Thing')).toEqual(fromHex('0400000001020304'))
  })

  const others = [
    undefined,
    null,
    'CLValue',
    [],
    {},
    { Contract: {} },
    { CLValue: null },
    { CLValue: { bytes: 7 } },
    { CLValue: { bytes: [4, 0, 0, 0] } },
  ]
  test('error: something else is stored', () => {
    for (const stored of others)
      expect(() => clValueBytes(stored, 'Thing')).toThrow(
        new DecodeError('Thing', 'the stored value is not a CLValue'),
      )
  })

  test('error: its bytes are not hex', () => {
    expect(() => clValueBytes({ CLValue: { bytes: '0g' } }, 'Thing')).toThrow(
      new DecodeError('Thing', 'it is not hex'),
    )
  })

  test('behavior: what was written is read', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const stored = { CLValue: { bytes: Buffer.from(bytes).toString('hex') } }
        expect(clValueBytes(stored, 'Thing')).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  test('behavior: any JSON gives bytes or a typed error', () => {
    const any = jsonLike({ CLValue: jsonLike({ bytes: fc.string() }) })
    fc.assert(fc.property(any, (stored) => assertTyped(() => clValueBytes(stored, 'Thing'))))
  })
})
