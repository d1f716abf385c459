import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError } from '../../../src/bytes/cursor.ts'
import { type ClType, readClType } from '../../../src/casper/types/clType.ts'
import { fromHex } from '../../bytes/decoding.ts'

function clType(hex: string): ClType {
  const cursor = createCursor(fromHex(hex), 'CLType')
  const type = readClType(cursor)
  cursor.end()
  return type
}

const types: [string, ClType][] = [
  ['00', 'Bool'],
  ['01', 'I32'],
  ['02', 'I64'],
  ['03', 'U8'],
  ['04', 'U32'],
  ['05', 'U64'],
  ['06', 'U128'],
  ['07', 'U256'],
  ['08', 'U512'],
  ['09', 'Unit'],
  ['0a', 'String'],
  ['0b', 'Key'],
  ['0c', 'URef'],
  ['0d0b', { Option: 'Key' }],
  ['0e03', { List: 'U8' }],
  ['0f20000000', { ByteArray: 32 }],
  ['10090a', { Result: { ok: 'Unit', err: 'String' } }],
  ['110a0e130a15', { Map: { key: 'String', value: { List: { Tuple2: ['String', 'Any'] } } } }],
  ['1208', { Tuple1: ['U8'].map(() => 'U512') }],
  ['130a15', { Tuple2: ['String', 'Any'] }],
  ['14000102', { Tuple3: ['Bool', 'I32', 'I64'] }],
  ['15', 'Any'],
  ['16', 'PublicKey'],
]

describe('readClType', () => {
  test.each(types)('default: %s', (hex, type) => {
    expect(clType(hex)).toEqual(type)
  })

  test('error: a tag that is unknown', () => {
    for (const hex of ['17', 'ff', '0eff'])
      expect(() => clType(hex)).toThrow(
        new DecodeError('CLType', `tag ${Number.parseInt(hex.slice(-2), 16)} is unknown`),
      )
  })

  test('error: a type that is nested too deeply', () => {
    expect(clType(`${'0d'.repeat(49)}03`)).toBeDefined()
    const error = new DecodeError('CLType', 'it is nested deeper than 50')
    expect(() => clType(`${'0d'.repeat(50)}03`)).toThrow(error)
    expect(() => clType('13'.repeat(1_000_000))).toThrow(error)
  })
})
