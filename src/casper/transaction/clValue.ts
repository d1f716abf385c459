import { concatBytes } from '@noble/hashes/utils.js'
import { decodeHex } from '../../bytes/hex.ts'
import type { ClType } from './clType.ts'
import { ArgumentError, encodeBigUint, encodeBytes, encodeText, encodeU32, encodeUint } from './encode.ts'

/** A value with its type, as a transaction carries it. Every maker throws an `ArgumentError`. */
export interface ClValue {
  readonly clType: ClType
  /** `bytesrepr` of the value. */
  readonly bytes: Uint8Array
}

export const clBool = (value: boolean): ClValue => ({
  clType: 'Bool',
  bytes: Uint8Array.of(value ? 1 : 0),
})

export const clU8 = (value: number): ClValue => ({
  clType: 'U8',
  bytes: encodeUint(wholeNumber(value), 1),
})

export const clU64 = (value: bigint | number): ClValue => ({
  clType: 'U64',
  bytes: encodeUint(wholeNumber(value), 8),
})

export const clU256 = (value: bigint): ClValue => ({ clType: 'U256', bytes: encodeBigUint(value, 32) })

export const clU512 = (value: bigint): ClValue => ({ clType: 'U512', bytes: encodeBigUint(value, 64) })

/** Any text: the length counts bytes of UTF-8. */
export const clString = (text: string): ClValue => ({ clType: 'String', bytes: encodeText(text) })

/** Bytes of a fixed number, such as a hash. */
export const clByteArray = (bytes: Uint8Array): ClValue => ({
  clType: { ByteArray: bytes.length },
  bytes,
})

/** Rust's `Bytes` and `Vec<u8>`. */
export const clBytes = (bytes: Uint8Array): ClValue => ({
  clType: { List: 'U8' },
  bytes: encodeBytes(bytes),
})

/** Odra's `Address`: an account (`account-hash-…`) or a contract package (`hash-…`). */
export const clAddress = (address: string): ClValue => ({ clType: 'Key', bytes: encodeAddress(address) })

/** A `Vec` of structs, each given as the `bytesrepr` of its fields in order. */
export const clListOfAny = (items: readonly Uint8Array[]): ClValue => ({
  clType: { List: 'Any' },
  bytes: concatBytes(encodeU32(items.length), ...items),
})

function encodeAddress(address: string): Uint8Array {
  const [, kind, hex = ''] = /^(account-hash|hash)-([0-9a-f]{64})$/.exec(address) ?? []
  if (kind === undefined) throw new ArgumentError('account-hash-… or hash-… with 64 hex digits')
  return concatBytes(Uint8Array.of(kind === 'hash' ? 1 : 0), decodeHex(hex, 'address'))
}

function wholeNumber(value: bigint | number): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new ArgumentError('a whole number, above 2^53 a bigint')
  return BigInt(value)
}
