import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError } from '@wattfeed/base'
import { fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import {
  type ClType,
  encodeClType,
  MAX_CL_TYPE_DEPTH,
  parseClType,
  readClType,
} from '../../src/types/clType.ts'
import { anyClType } from '../support/anyClType.ts'

const decode = (bytes: Uint8Array): ClType => {
  const cursor = createCursor(bytes, 'CLType')
  const type = readClType(cursor)
  cursor.end()
  return type
}

/** Nested `List` types, this number in all. */
const nested = (count: number): ClType =>
  Array.from({ length: count - 1 }).reduce<ClType>((type) => ({ List: type }), 'U8')

describe('types', () => {
  const types: [ClType, string][] = [
    ['Bool', '00'],
    ['I32', '01'],
    ['I64', '02'],
    ['U8', '03'],
    ['U32', '04'],
    ['U64', '05'],
    ['U128', '06'],
    ['U256', '07'],
    ['U512', '08'],
    ['Unit', '09'],
    ['String', '0a'],
    ['Key', '0b'],
    ['URef', '0c'],
    [{ Option: 'U64' }, '0d05'],
    [{ List: 'U8' }, '0e03'],
    [{ ByteArray: 32 }, '0f20000000'],
    [{ ByteArray: 0 }, '0f00000000'],
    [{ Result: { ok: 'Unit', err: 'String' } }, '10090a'],
    [{ Map: { key: 'String', value: { List: 'U8' } } }, '110a0e03'],
    [{ Tuple1: ['U8'] }, '1203'],
    [{ Tuple2: ['U8', 'U32'] }, '130304'],
    [{ Tuple3: ['U8', 'U32', 'U64'] }, '14030405'],
    [{ Option: 'Key' }, '0d0b'],
    [{ List: { ByteArray: 32 } }, '0e0f20000000'],
    [{ Map: { key: 'String', value: { List: { Tuple2: ['String', 'Any'] } } } }, '110a0e130a15'],
    [{ Tuple1: ['U512'] }, '1208'],
    [{ Tuple2: ['String', 'Any'] }, '130a15'],
    [{ Tuple3: ['Bool', 'I32', 'I64'] }, '14000102'],
    ['Any', '15'],
    ['PublicKey', '16'],
  ]
  test.each(types.map(([type, hex]) => [JSON.stringify(type), type, hex] as const))(
    'default: %s',
    (_, type, hex) => {
      expect(encodeClType(type).toHex()).toBe(hex)
      expect(decode(Uint8Array.fromHex(hex))).toEqual(type)
      expect(parseClType(type)).toEqual(type)
    },
  )

  test('behavior: any type survives a round trip through bytes and JSON', () => {
    fc.assert(
      fc.property(anyClType, (type) => {
        expect(decode(encodeClType(type))).toEqual(type)
        expect(parseClType(JSON.parse(JSON.stringify(type)))).toEqual(type)
      }),
    )
  })

  test('error: more than 50 nested types', () => {
    const deepest = nested(MAX_CL_TYPE_DEPTH)
    expect(decode(encodeClType(deepest))).toEqual(deepest)
    expect(parseClType(deepest)).toEqual(deepest)
    const deeper = nested(MAX_CL_TYPE_DEPTH + 1)
    const error = new DecodeError('CLType', 'nested deeper than 50')
    for (const bytes of [encodeClType(deeper), fromHex('13'.repeat(1_000_000))])
      expect(() => decode(bytes)).toThrow(error)
    expect(() => parseClType(deeper)).toThrow('nested deeper than 50')
  })

  test.each(['17', 'ff', '0eff'])('error: the tag of %s is unknown', (hex) => {
    const tag = Number.parseInt(hex.slice(-2), 16)
    expect(() => decode(fromHex(hex))).toThrow(new DecodeError('CLType', `unknown tag ${tag}`))
  })

  test.each(['', '0d', '0e0d', '0f0000', '1300'])('error: bytes %p', (hex) => {
    expect(() => decode(Uint8Array.fromHex(hex))).toThrow(DecodeError)
  })

  test.each(
    [
      null,
      7,
      'u8',
      'toString',
      {},
      { List: null },
      { ByteArray: -1 },
      { ByteArray: '32' },
      { ByteArray: 2 ** 32 },
      { Map: { key: 'U8' } },
      { Tuple2: ['U8'] },
      { Tuple4: ['U8'] },
      { Option: 'U8', List: 'U8' },
      { Tuple1: ['U8', 'U8'] },
      { Tuple2: ['U8', 'U8', 'U8'] },
      { Tuple3: ['U8', 'U8', 'U8', 'U8'] },
      { Tuple1: { 0: 'U8' } },
    ].map((json) => JSON.stringify(json)),
  )('error: JSON %s', (json) => {
    expect(() => parseClType(JSON.parse(json))).toThrow(DecodeError)
  })
})
