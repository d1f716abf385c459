import { describe, expect, test } from 'bun:test'
import { encodeHex } from '@wattfeed/base'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import { string, u8, u32, u64, u512 } from '@wattfeed/testing/bytesrepr'
import fc from 'fast-check'
import {
  clAddress,
  clBool,
  clByteArray,
  clBytes,
  clListOfAny,
  clString,
  clU8,
  clU64,
  clU256,
  countArgumentBytes,
} from '../../src/types/arguments.ts'
import type { ClValue } from '../../src/types/clValue.ts'
import { clU512 } from '../../src/types/u512.ts'
import { namedArguments } from '../support/transactionBytes.ts'

const shown = ({ clType, bytes }: ClValue): object => ({ clType, bytes: encodeHex(bytes) })

describe('default: every type against bytes written independently', () => {
  test('text, also beyond ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) =>
        expect(shown(clString(text))).toEqual({ clType: 'String', bytes: string(text) }),
      ),
    )
    expect(encodeHex(clString('°F €/MWh 💡').bytes)).toBe(string('°F €/MWh 💡'))
  })

  test('U512 up to 2^512 - 1 and U256 up to 2^256 - 1', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 512n - 1n), (value) =>
        expect(shown(clU512(value))).toEqual({ clType: 'U512', bytes: u512(value) }),
      ),
    )
    for (const value of [0n, 1n, 255n, 256n, 2n ** 510n, 2n ** 511n, 2n ** 512n - 1n])
      expect(encodeHex(clU512(value).bytes)).toBe(u512(value))
    for (const value of [0n, 2n ** 255n, 2n ** 256n - 1n])
      expect(shown(clU256(value))).toEqual({ clType: 'U256', bytes: u512(value) })
  })

  test('U64 and U8', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (value) =>
        expect(shown(clU64(value))).toEqual({ clType: 'U64', bytes: u64(value) }),
      ),
    )
    for (let value = 0; value < 256; value++)
      expect(shown(clU8(value))).toEqual({ clType: 'U8', bytes: u8(value) })
  })

  test('bytes, fixed and not, and booleans', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex')
        expect(shown(clBytes(bytes))).toEqual({ clType: { List: 'U8' }, bytes: u32(bytes.length) + hex })
        expect(shown(clByteArray(bytes))).toEqual({ clType: { ByteArray: bytes.length }, bytes: hex })
      }),
    )
    expect([clBool(true), clBool(false)].map(shown)).toEqual([
      { clType: 'Bool', bytes: '01' },
      { clType: 'Bool', bytes: '00' },
    ])
  })

  test('addresses and lists of structs', () => {
    const hash = '0f'.repeat(32)
    expect(shown(clAddress(`account-hash-${hash}`))).toEqual({ clType: 'Key', bytes: `00${hash}` })
    expect(shown(clAddress(`hash-${hash}`))).toEqual({ clType: 'Key', bytes: `01${hash}` })
    expect(shown(clListOfAny([Uint8Array.of(1, 2), Uint8Array.of(3)]))).toEqual({
      clType: { List: 'Any' },
      bytes: '02000000010203',
    })
  })
})

test('default: the size of the arguments is the one that they have in a transaction', () => {
  const args = {
    asset_id: clString('EIA.PET.PRICE.WTI.DAILY'),
    period: clU64(20261120),
    gate: clAddress(`hash-${'0f'.repeat(32)}`),
    proof: clBytes(new Uint8Array(256)),
    list: clListOfAny([]),
    hash: clByteArray(new Uint8Array(32)),
    maybe: null,
  }
  const named = Object.entries(args).flatMap(
    ([name, value]): [string, { bytes: string; cl_type: unknown }][] =>
      value === null ? [] : [[name, { bytes: encodeHex(value.bytes), cl_type: value.clType }]],
  )
  expect(countArgumentBytes(args)).toBe(namedArguments(named).length / 2)
})

const outOfRange: [string, () => ClValue, string][] = [
  ['a negative U512', () => clU512(-1n), 'an integer from 0 to 2^512 - 1'],
  ['2^512', () => clU512(2n ** 512n), 'an integer from 0 to 2^512 - 1'],
  ['2^256 as a U256', () => clU256(2n ** 256n), 'an integer from 0 to 2^256 - 1'],
  ['2^64 as a U64', () => clU64(2n ** 64n), 'an integer from 0 to 2^64 - 1'],
  ['256 as a U8', () => clU8(256), 'an integer from 0 to 2^8 - 1'],
  ['a fraction', () => clU64(1.5), 'an integer; above 2^53 use a bigint'],
  ['a number beyond what a double holds', () => clU64(2 ** 53), 'an integer; above 2^53 use a bigint'],
  [
    'a lone surrogate',
    () => clString('\ud800'),
    'text without lone surrogates, because the chain stores UTF-8',
  ],
  [
    'a key of another kind',
    () => clAddress(`uref-${'0'.repeat(64)}`),
    'account-hash-… or hash-… with 64 hex digits',
  ],
  [
    'a hash in capitals',
    () => clAddress(`hash-${'A'.repeat(64)}`),
    'account-hash-… or hash-… with 64 hex digits',
  ],
]
test.each(outOfRange)('error: %s', (_, make, rule) => {
  expect(make).toThrow(`the argument must be ${rule}`)
})
