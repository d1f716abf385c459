import { type Cursor, createCursor } from '../bytes/cursor.ts'

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
