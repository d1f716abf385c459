import { type Cursor, DecodeError, encodeHex } from '@wattfeed/base'
import { readU512 } from '../types/u512.ts'

/** Reads a `u64` as a number. Above 2^53 it becomes the nearest double. */
export function readNumber(cursor: Cursor): number {
  return Number(cursor.u64())
}

/** Reads Odra's `Address`: a `Key` of an account or a contract, formatted as `account-hash-…` or `hash-…`. */
export function readAddress(cursor: Cursor): string {
  const tag = cursor.u8()
  if (tag > 1) throw new DecodeError('Address', `unknown tag ${tag}; expected 0 (account) or 1 (contract)`)
  return `${tag === 0 ? 'account-hash' : 'hash'}-${encodeHex(cursor.bytes(32))}`
}

/** How each kind of field is read from the bytes of a contract. */
export const readers = {
  /** A `String`. */
  text: (cursor: Cursor) => cursor.string(),
  /** A hash that the contract keeps as a `String`. */
  hash: (cursor: Cursor) => cursor.string(),
  /** `account-hash-…` or `hash-…`. */
  address: readAddress,
  /** A number of 8 bits. */
  u8: (cursor: Cursor) => cursor.u8(),
  /** A number of 64 bits; above 2^53 it is the nearest double. */
  u64: readNumber,
  /** Epoch milliseconds. */
  time: readNumber,
  /** A number of 512 bits. */
  u512: readU512,
}

/** What a stored field holds. */
export type StoredKind = keyof typeof readers

/** The values of a contract's struct. */
export type Stored<Fields extends Readonly<Record<string, StoredKind>>> = {
  readonly [Name in keyof Fields]: ReturnType<(typeof readers)[Fields[Name]]>
}

/** Reads the fields of a contract's struct, in the order in which they are given. */
export function readStruct<Fields extends Readonly<Record<string, StoredKind>>>(
  cursor: Cursor,
  fields: Fields,
): Stored<Fields> {
  const values: Record<string, string | number | bigint> = {}
  for (const [name, kind] of Object.entries(fields)) values[name] = readers[kind](cursor)
  return values as Stored<Fields>
}
