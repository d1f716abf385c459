import { createByteWriter, decodeHex, encodeString } from '@wattfeed/base'
import { ArgumentError } from './argumentError.ts'
import { type ClType, encodeClType } from './clType.ts'
import type { ClValue } from './clValue.ts'
import { accountKey, hashKey } from './key.ts'
import { encodeBigUint, uint } from './u512.ts'

/** Named arguments in the order of the call. Null omits an argument, which is Odra's `Maybe::None`. */
export type Arguments = Readonly<Record<string, ClValue | null>>

/** Lists the arguments that are not null, in their order. */
export function presentArguments(args: Arguments): [string, ClValue][] {
  return Object.entries(args).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}

// A tag byte and a u32 count, then two u32 lengths per argument: of the name and of the value.
const HEAD_BYTES = 5
const LENGTHS_BYTES = 8

/** Returns the size of the arguments in a transaction, in bytes. It determines the transaction's lane. */
export function countArgumentBytes(args: Arguments): number {
  return presentArguments(args).reduce(
    (sum, [name, { bytes, clType }]) =>
      sum + LENGTHS_BYTES + name.length + bytes.length + encodeClType(clType).length,
    HEAD_BYTES,
  )
}

/** Creates a `Bool`. */
export const clBool = (value: boolean): ClValue => ({ clType: 'Bool', bytes: Uint8Array.of(value ? 1 : 0) })

/** Creates a `U8`: 0 to 255. */
export const clU8 = (value: number): ClValue => ({
  clType: 'U8',
  bytes: Uint8Array.of(Number(uint(value, 1))),
})

/** Creates a `U64`. */
export function clU64(value: bigint | number): ClValue {
  return { clType: 'U64', bytes: createByteWriter(8).u64(uint(value, 8)).finish() }
}

/** Creates a `U256`. */
export const clU256 = (value: bigint): ClValue => ({ clType: 'U256', bytes: encodeBigUint(value, 32) })

/** @throws {ArgumentError} on lone surrogates. */
export const clString = (text: string): ClValue => ({ clType: 'String', bytes: encodeText(text) })

/** A fixed number of bytes, such as a hash. */
export const clByteArray = (bytes: Uint8Array): ClValue => ({ clType: { ByteArray: bytes.length }, bytes })

/** Rust's `Bytes` and `Vec<u8>`. */
export const clBytes = (bytes: Uint8Array): ClValue => ({
  clType: { List: 'U8' },
  bytes: createByteWriter().byteList(bytes).finish(),
})

/** Odra's `Address`: an account (`account-hash-…`) or a contract package (`hash-…`). */
export function clAddress(address: string): ClValue {
  const [, kind, hex = ''] = /^(account-hash|hash)-([0-9a-f]{64})$/.exec(address) ?? []
  if (kind === undefined) throw new ArgumentError({ rule: 'account-hash-… or hash-… with 64 hex digits' })
  const hash = decodeHex(hex, 'address')
  return { clType: 'Key', bytes: kind === 'hash' ? hashKey(hash) : accountKey(hash) }
}

/** A struct. @param bytes the `bytesrepr` of its fields in order */
export const clAny = (bytes: Uint8Array): ClValue => ({ clType: 'Any', bytes })

/** A `Vec` of structs. Each item is the `bytesrepr` of the struct's fields in order. */
export const clListOfAny = (items: readonly Uint8Array[]): ClValue => clList('Any', items)

/** A `Vec`. @param items the `bytesrepr` of each item */
export const clList = (type: ClType, items: readonly Uint8Array[]): ClValue => {
  const writer = createByteWriter()
  return { clType: { List: type }, bytes: writer.list(items, writer.bytes).finish() }
}

/** Encodes a `String`: the length in bytes, then UTF-8. @throws {ArgumentError} on lone surrogates. */
export function encodeText(text: string): Uint8Array {
  if (!text.isWellFormed())
    throw new ArgumentError({ rule: 'text without lone surrogates, because the chain stores UTF-8' })
  return encodeString(text)
}
