import type { AbortSignalLike } from '../async/webTypes.ts'
import { type Cursor, createCursor } from '../bytes/cursor.ts'
import type { DictionaryItemRead, GlobalState } from '../casper/state/globalState.ts'
import { readAddress } from '../casper/types/address.ts'
import { clValueBytes } from '../casper/types/storedValueJson.ts'
import { itemKey } from './itemKey.ts'

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
  read: (cursor: Cursor) => T
  /** Handles the error that reports the field as absent. */
  absent: DictionaryItemRead<T, Absent>['absent']
  signal?: AbortSignalLike | undefined
}

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

/** Maximum size of a `U512` in bytes. */
export const U512_BYTES = 64

/** How each kind of field is read from the bytes of a contract. */
export const readers = {
  text: (cursor: Cursor) => cursor.string(),
  hash: (cursor: Cursor) => cursor.string(),
  address: readAddress,
  u8: (cursor: Cursor) => cursor.u8(),
  u64: readNumber,
  time: readNumber,
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
