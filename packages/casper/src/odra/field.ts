import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { type AbortSignalLike, type Cursor, createCursor, DecodeError, encodeHex } from '@wattfeed/base'
import type { DictionaryItemRead, GlobalState } from '../state/globalState.ts'
import { clValueBytes } from '../types/storedValueJson.ts'

/** A read of one field of an Odra contract. `T` is its value, `Absent` what stands for a field that is not set. */
export interface FieldRead<T, Absent> {
  stateRootHash: string
  /** Seed URef of the dictionary that stores all fields. */
  stateUref: string
  /** Number of the field in the contract's layout. */
  field: number
  /** `bytesrepr` of the mapping's key; undefined for a plain variable. */
  key?: Uint8Array | undefined
  /** Names the field in errors: `FeedRegistry.feeds[EIA.PET.PRICE.WTI.DAILY]`. */
  what: string
  /** Reads the value from its `bytesrepr`. */
  read: (cursor: Cursor) => T
  /** Handles the error that reports the field as absent. */
  absent: DictionaryItemRead<T, Absent>['absent']
  signal?: AbortSignalLike | undefined
}

/** Reads and decodes a field of an Odra contract. A field that is not set is what `absent` returns: null with `absentAsNull`. */
export function readField<T, Absent>(state: GlobalState, request: FieldRead<T, Absent>): Promise<T | Absent> {
  const { stateRootHash, stateUref, field, key, what, read, absent, signal } = request
  return state.item({
    stateRootHash,
    seedUref: stateUref,
    itemKey: itemKey(field, key),
    what,
    decode: (stored) => decodeField(clValueBytes(stored, what), what, read),
    absent,
    signal,
  })
}

/**
 * Returns the dictionary item key of an Odra field, in hex. It is the blake2b-256 of the field number as a big-endian
 * `u32`, followed by the `bytesrepr` of the mapping key.
 */
export function itemKey(field: number, mappingKey: Uint8Array = new Uint8Array()): string {
  const number = new Uint8Array(4)
  new DataView(number.buffer).setUint32(0, field)
  return encodeHex(blake2b(concatBytes(number, mappingKey), { dkLen: 32 }))
}

/**
 * Decodes a field in Odra's format: a `List<U8>`, which is a `u32` length and the `bytesrepr` of the value.
 *
 * @throws {DecodeError} unless `read` consumes exactly these bytes.
 */
export function decodeField<T>(bytes: Uint8Array, what: string, read: (cursor: Cursor) => T): T {
  const list = createCursor(bytes, what)
  const inner = list.byteList()
  list.end()
  const cursor = createCursor(inner, what)
  const value = read(cursor)
  cursor.end()
  return value
}

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

/** Maximum size of a `U512` in bytes. */
export const U512_BYTES = 64

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
  u512: (cursor: Cursor) => cursor.bigUint(U512_BYTES),
}

/** What a stored field holds. */
export type StoredKind = keyof typeof readers

/** The values of a contract's struct. */
export type Stored<Fields extends Readonly<Record<string, StoredKind>>> = {
  readonly [Name in keyof Fields]: ReturnType<(typeof readers)[Fields[Name]]>
}

/** Reads the fields of a contract's struct, in the order in which they are given. */
export function readFields<Fields extends Readonly<Record<string, StoredKind>>>(
  cursor: Cursor,
  fields: Fields,
): Stored<Fields> {
  const values: Record<string, string | number | bigint> = {}
  for (const [name, kind] of Object.entries(fields)) values[name] = readers[kind](cursor)
  return values as Stored<Fields>
}
