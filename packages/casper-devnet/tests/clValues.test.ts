import { describe, expect, test } from 'bun:test'
import { type ClType, type ClValue, formatParsed } from '@wattfeed/casper/types'
import {
  CLTypeInt32,
  CLTypeString,
  CLTypeUInt32,
  CLTypeUInt512,
  CLValue,
  Key,
  PublicKey,
  URef,
} from 'casper-js-sdk'
import fc from 'fast-check'
import { cl } from '../src/index.ts'

const HASH = 'ab'.repeat(32)
const ACCOUNT = `account-hash-${HASH}`
const UREF = `uref-${HASH}-007`
const ED25519 = '01d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
const SECP256K1 = `02${'b3'.repeat(33)}`

const sdkBytes = (value: CLValue): string => Buffer.from(value.bytes()).toString('hex')
const hexOf = ({ bytes }: ClValue): string => Buffer.from(bytes).toString('hex')

describe('cl', () => {
  test.each<[string, ClValue, ClType, CLValue]>([
    ['bool', cl.bool(true), 'Bool', CLValue.newCLValueBool(true)],
    ['i32', cl.i32(-5), 'I32', CLValue.newCLInt32(-5)],
    ['i64', cl.i64(-5n), 'I64', CLValue.newCLInt64(-5)],
    ['u8', cl.u8(255), 'U8', CLValue.newCLUint8(255)],
    ['u32', cl.u32(5), 'U32', CLValue.newCLUInt32(5)],
    ['u64', cl.u64(2n ** 64n - 1n), 'U64', CLValue.newCLUint64('18446744073709551615')],
    ['u128', cl.u128(0), 'U128', CLValue.newCLUInt128('0')],
    ['u256', cl.u256(2n ** 255n), 'U256', CLValue.newCLUInt256(String(2n ** 255n))],
    ['u512', cl.u512(2_500_000_000), 'U512', CLValue.newCLUInt512('2500000000')],
    ['unit', cl.unit(), 'Unit', CLValue.newCLUnit()],
    ['string', cl.string('abc'), 'String', CLValue.newCLString('abc')],
    ['key of an account', cl.key(ACCOUNT), 'Key', CLValue.newCLKey(Key.newKey(ACCOUNT))],
    ['key of a package', cl.key(`hash-${HASH}`), 'Key', CLValue.newCLKey(Key.newKey(`hash-${HASH}`))],
    ['key of a URef', cl.key(UREF), 'Key', CLValue.newCLKey(Key.newKey(UREF))],
    ['uref', cl.uref(UREF), 'URef', CLValue.newCLUref(URef.fromString(UREF))],
    ['publicKey', cl.publicKey(ED25519), 'PublicKey', CLValue.newCLPublicKey(PublicKey.fromHex(ED25519))],
    ['byteArray', cl.byteArray(HASH), { ByteArray: 32 }, CLValue.newCLByteArray(Buffer.from(HASH, 'hex'))],
    ['some', cl.option(cl.u32(5)), { Option: 'U32' }, CLValue.newCLOption(CLValue.newCLUInt32(5))],
    ['none', cl.option(null, 'U32'), { Option: 'U32' }, CLValue.newCLOption(null, CLTypeUInt32)],
    [
      'list',
      cl.list([cl.string('a'), cl.string('bc')]),
      { List: 'String' },
      CLValue.newCLList(CLTypeString, [CLValue.newCLString('a'), CLValue.newCLString('bc')]),
    ],
    ['empty list', cl.list([], 'I32'), { List: 'I32' }, CLValue.newCLList(CLTypeInt32, [])],
    ['tuple1', cl.tuple1(cl.u32(1)), { Tuple1: ['U32'] }, CLValue.newCLTuple1(CLValue.newCLUInt32(1))],
    [
      'tuple2',
      cl.tuple2(cl.u32(1), cl.string('a')),
      { Tuple2: ['U32', 'String'] },
      CLValue.newCLTuple2(CLValue.newCLUInt32(1), CLValue.newCLString('a')),
    ],
    [
      'tuple3',
      cl.tuple3(cl.u32(1), cl.string('a'), cl.bool(false)),
      { Tuple3: ['U32', 'String', 'Bool'] },
      CLValue.newCLTuple3(CLValue.newCLUInt32(1), CLValue.newCLString('a'), CLValue.newCLValueBool(false)),
    ],
  ])('default: %s has the bytes of casper-js-sdk', (_, value, clType, sdk) => {
    expect(value.clType).toEqual(clType)
    expect(hexOf(value)).toBe(sdkBytes(sdk))
  })

  test('default: a map has the bytes of casper-js-sdk', () => {
    const sdk = CLValue.newCLMap(CLTypeString, CLTypeUInt512)
    sdk.map?.append(CLValue.newCLString('a'), CLValue.newCLUInt512('5'))
    const value = cl.map([[cl.string('a'), cl.u512(5)]])
    expect(value.clType).toEqual({ Map: { key: 'String', value: 'U512' } })
    expect(hexOf(value)).toBe(sdkBytes(sdk))
    expect(hexOf(cl.map([], { key: 'String', value: 'U32' }))).toBe('00000000')
  })

  test.each<[string, ClValue, unknown]>([
    ['a result that is Ok', cl.ok(cl.u32(5), 'String'), { Ok: 5 }],
    ['a result that is Err', cl.err(cl.string('no'), 'Unit'), { Err: 'no' }],
    ['bytes', cl.bytes(Uint8Array.of(1, 2)), [1, 2]],
    ['nested', cl.list([cl.option(cl.list([], 'U8')), cl.option(null, { List: 'U8' })]), [[], null]],
    ['a public key of secp256k1', cl.publicKey(SECP256K1), SECP256K1],
  ])('default: %s is read as it was made', (_, value, parsed) => expect(formatParsed(value)).toEqual(parsed))

  test('default: a string is UTF-8', () => expect(hexOf(cl.string('5 €'))).toBe('050000003520e282ac'))

  test('default: any', () => {
    expect(cl.any('0a0b')).toEqual({ clType: 'Any', bytes: Uint8Array.of(10, 11) })
  })

  test.each([
    ['u8', () => cl.u8(256), 'u8 must be an integer from 0 to 2^8 - 1, not 256'],
    ['u32', () => cl.u32(-1), 'u32 must be an integer from 0 to 2^32 - 1, not -1'],
    ['u32 of text', () => cl.u32('5' as never), 'u32 must be an integer from 0 to 2^32 - 1, not "5"'],
    ['u64', () => cl.u64(1.5), 'u64 must be an integer from 0 to 2^64 - 1, not 1.5'],
    ['u512', () => cl.u512(1e20), 'u512 must be a bigint where it is above 2^53, not 100000000000000000000'],
    ['i32', () => cl.i32(2 ** 31), 'i32 must be an integer from -2^31 to 2^31 - 1, not 2147483648'],
    ['bool', () => cl.bool(1 as never), 'bool must be true or false, not 1'],
    ['string', () => cl.string(5 as never), 'string must be text without lone surrogates'],
    [
      'key',
      () => cl.key(HASH),
      'key must be a key as a node writes it: account-hash-…, hash-… or uref-…-007, not',
    ],
    ['uref', () => cl.uref(ACCOUNT), 'uref must be a URef as a node writes it'],
    [
      'publicKey',
      () => cl.publicKey(HASH),
      'publicKey must be hex: 01 and 64 digits, or 02 and 66 digits, not',
    ],
    ['byteArray', () => cl.byteArray('abc'), 'byteArray must be a Uint8Array, or hex with two digits a byte'],
    [
      'none',
      () => cl.option(null),
      "option must be given the type that it could hold, as cl.option(null, 'U32'), not",
    ],
    ['an unknown type', () => cl.option(null, 'u32' as never), 'as cl.option(null, \'U32\'), not "u32"'],
    [
      'an empty list',
      () => cl.list([]),
      "list must be given the type that it could hold, as cl.list([], 'U32')",
    ],
    ['a plain list', () => cl.list([5 as never]), 'list[0] must be a value such as cl.u32(5), not 5'],
    ['a mixed list', () => cl.list([cl.u32(1), cl.u8(1)]), 'list[1] must be of type "U32", not "U8"'],
    [
      'no list',
      () => cl.list(cl.u32(1) as never),
      'list must be a list of values such as [cl.u32(5)], not an object',
    ],
    [
      'no pairs',
      () => cl.map([cl.u32(1)] as never),
      "map must be a list of pairs such as [[cl.string('a'), cl.u32(5)]]",
    ],
    [
      'a mixed map',
      () =>
        cl.map([
          [cl.string('a'), cl.u32(1)],
          [cl.string('b'), cl.u64(1)],
        ]),
      'map[1].value must be of type "U32", not "U64"',
    ],
    [
      'a map with a key twice',
      () =>
        cl.map([
          [cl.string('a'), cl.u32(1)],
          [cl.string('a'), cl.u32(2)],
        ]),
      'map must be pairs with different keys',
    ],
    [
      'a tuple',
      () => cl.tuple2(cl.u32(1), 'a' as never),
      'tuple2[1] must be a value such as cl.u32(5), not "a"',
    ],
  ])('error: %s', (_, make, message) => expect(make).toThrow(message))

  test('behavior: an integer of any type is read as it was made', () => {
    const types = { u32: 32n, u64: 53n, u128: 128n, u256: 256n, u512: 512n } as const
    for (const [name, bits] of Object.entries(types) as [keyof typeof types, bigint][])
      fc.assert(
        fc.property(fc.bigInt(0n, (1n << bits) - 1n), (value) =>
          expect(BigInt(String(formatParsed(cl[name](value))))).toBe(value),
        ),
      )
    fc.assert(fc.property(fc.integer(), (value) => expect(formatParsed(cl.i32(value))).toBe(value)))
  })
})
