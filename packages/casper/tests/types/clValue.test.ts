import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { DecodeError } from '@wattfeed/base'
import fc from 'fast-check'
import { type ClType, parseClType } from '../../src/types/clType.ts'
import {
  decodeClValue,
  decodeDictionaryItem,
  encodeDictionaryItem,
  formatClValue,
  formatParsed,
} from '../../src/types/clValue.ts'
import { isRecord } from '../../src/types/jsonField.ts'
import { anyClType } from '../support/anyClType.ts'
import { encodeClValue } from '../support/encodeClValue.ts'

const hash = 'ab'.repeat(32)

describe('values', () => {
  const values: [ClType, string, unknown][] = [
    ['Bool', '01', true],
    ['Bool', '00', false],
    ['I32', 'ffffffff', -1],
    ['I64', 'feffffffffffffff', -2],
    ['U8', '07', 7],
    ['U32', '00010000', 256],
    ['U64', '0001000000000000', 256],
    ['U128', '020001', '256'],
    ['U256', '00', '0'],
    ['U512', '0500282e8cd1', '900000000000'],
    ['Unit', '', null],
    ['String', '0300000062c3a9', 'bé'],
    ['Key', `01${hash}`, `hash-${hash}`],
    ['URef', `${hash}07`, `uref-${hash}-007`],
    ['PublicKey', `01${hash}`, `01${hash}`],
    ['PublicKey', `0202${hash}`, `0202${hash}`],
    ['PublicKey', '00', '00'],
    [{ Option: 'U8' }, '00', null],
    [{ Option: 'U8' }, '0107', 7],
    [{ List: 'U8' }, '020000000102', [1, 2]],
    [{ List: 'Unit' }, '00000000', []],
    [
      { List: { List: 'U8' } },
      `02000000${'020000000708'.repeat(2)}`,
      [
        [7, 8],
        [7, 8],
      ],
    ],
    [{ ByteArray: 2 }, 'abcd', 'abcd'],
    [{ Result: { ok: 'U8', err: 'String' } }, '0107', { Ok: 7 }],
    [{ Result: { ok: 'U8', err: 'String' } }, '000100000078', { Err: 'x' }],
    [{ Map: { key: 'U8', value: 'Bool' } }, '010000000701', [{ key: 7, value: true }]],
    [{ Tuple1: ['U8'] }, '07', [7]],
    [{ Tuple2: ['U8', 'Bool'] }, '0701', [7, true]],
    [{ Tuple3: ['U8', 'Bool', 'Unit'] }, '0701', [7, true, null]],
  ]
  test.each(values.map((each) => [JSON.stringify(each), ...each] as const))(
    'default: %s',
    (_, clType, hex, parsed) => {
      const bytes = Uint8Array.fromHex(hex)
      expect(formatClValue({ clType, bytes })).toEqual({ cl_type: clType, bytes: hex, parsed })
      expect(decodeClValue(encodeClValue({ clType, bytes }))).toEqual({ clType, bytes })
    },
  )

  const unprintable: [ClType, string][] = [
    ['Any', ''],
    ['Any', '07'],
    ['Bool', '02'],
    ['U8', ''],
    ['U8', '0708'],
    ['U128', `11${'01'.repeat(17)}`],
    ['String', '01000000ff'],
    ['String', 'ffffffff'],
    ['Key', '19'],
    ['URef', `${hash}08`],
    ['PublicKey', '03'],
    [{ Option: 'U8' }, '02'],
    [{ List: 'U8' }, 'ffffffff'],
    [{ List: 'Unit' }, 'ffffffff'],
    [{ List: { List: 'Unit' } }, `08000000${'20000000'.repeat(8)}`],
    [{ List: 'Any' }, '0100000007'],
    [{ ByteArray: 3 }, 'abcd'],
  ]
  test.each(unprintable.map((each) => [JSON.stringify(each), ...each] as const))(
    'behavior: %s has no JSON',
    (_, clType, hex) => {
      expect(formatParsed({ clType, bytes: Uint8Array.fromHex(hex) })).toBeNull()
    },
  )

  test('behavior: every value of the recordings is printed as the node printed it', () => {
    const recordings = [
      'gate-replay.jsonl',
      'host-function-vectors.jsonl',
      'snapshot.jsonl',
      'transactions.jsonl',
    ]
    const found = recordings.flatMap((name) =>
      readFileSync(new URL(`../../../../fixtures/chain/${name}`, import.meta.url), 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : clValuesIn(JSON.parse(line)))),
    )
    expect(found.length).toBeGreaterThan(200)
    for (const value of found) {
      const clType = parseClType(value.cl_type)
      expect(formatClValue({ clType, bytes: Uint8Array.fromHex(String(value.bytes)) })).toEqual(Object(value))
    }
  })

  test('behavior: any bytes can be formatted without an error', () => {
    fc.assert(
      fc.property(anyClType, fc.uint8Array({ maxLength: 64 }), (clType, bytes) => {
        formatParsed({ clType, bytes })
        expect(decodeClValue(encodeClValue({ clType, bytes }))).toEqual({ clType, bytes })
      }),
    )
  })

  test('error: trailing bytes after the value', () => {
    expect(() => decodeClValue(Uint8Array.of(1, 0, 0, 0, 7, 3, 0))).toThrow(DecodeError)
  })
})

/** Everything in a recording that resembles a value. */
function clValuesIn(json: unknown): Record<string, unknown>[] {
  if (Array.isArray(json)) return json.flatMap(clValuesIn)
  if (!isRecord(json)) return []
  if ('cl_type' in json && 'bytes' in json && 'parsed' in json) return [json]
  return Object.values(json).flatMap(clValuesIn)
}

describe('dictionary items', () => {
  const item = {
    value: { clType: { List: 'U8' }, bytes: Uint8Array.of(1, 0, 0, 0, 1) },
    seed: new Uint8Array(32).fill(0xce),
    itemKey: new TextEncoder().encode('key'),
  } as const

  test('default: a value, the seed and the item key, one after the other', () => {
    expect(encodeDictionaryItem(item).bytes.toHex()).toBe(
      `0500000001000000010e0320000000${'ce'.repeat(32)}030000006b6579`,
    )
    expect(decodeDictionaryItem(encodeDictionaryItem(item))).toEqual(item)
  })

  test('error: bytes that are not an item', () => {
    expect(() => decodeDictionaryItem({ clType: 'U8', bytes: Uint8Array.of(1) })).toThrow(
      'the value is not a dictionary item',
    )
    expect(() => decodeDictionaryItem({ clType: 'Any', bytes: Uint8Array.of(1) })).toThrow(DecodeError)
  })
})
