import type { AbortSignalLike } from '../async/webTypes.ts'
import { type Cursor, createCursor } from '../bytes/cursor.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { getDictionaryItem } from '../casper/state/globalState.ts'
import { itemKey } from './itemKey.ts'

/** A field of an Odra contract, or one entry of a mapping, at a state root. */
export interface FieldRead<T> {
  stateRootHash: string
  /** Seed URef of the dictionary that holds every field. */
  stateUref: string
  /** The field's number in the contract's layout. */
  field: number
  /** `bytesrepr` of the mapping's key; absent for a plain variable. */
  key?: Uint8Array | undefined
  /** Names the field in errors: `FeedRegistry.feeds[EIA.PET.PRICE.WTI.DAILY]`. */
  what: string
  read: (cursor: Cursor) => T
  signal?: AbortSignalLike | undefined
}

/** Reads a field by `state_get_dictionary_item`; null if nothing is stored. */
export function readField<T>(rpc: Rpc, request: FieldRead<T>): Promise<T | null> {
  const { stateRootHash, stateUref, field, key, what, read, signal } = request
  return getDictionaryItem(rpc, {
    stateRootHash,
    seedUref: stateUref,
    itemKey: itemKey(field, key),
    what,
    signal,
    decode: (bytes) => decodeField(bytes, what, read),
  })
}

/**
 * Decodes a field as Odra stores it: a `List<U8>`, so a `u32` length and then the value's `bytesrepr`.
 *
 * @throws {DecodeError} naming `what` unless `read` consumes exactly these bytes.
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

/** Reads a `u64` as a number; above 2^53 the nearest double. */
export function readNumber(cursor: Cursor): number {
  return Number(cursor.u64())
}
