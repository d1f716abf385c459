import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { type AbortSignalLike, type Cursor, createCursor, encodeHex } from '@wattfeed/base'
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
