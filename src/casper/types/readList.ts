import type { Cursor } from '../../bytes/cursor.ts'

/** Reads a `u32` count and that many items; each must take at least a byte, so the input bounds the list. */
export function readList<T>(cursor: Cursor, readItem: (cursor: Cursor) => T): T[] {
  const items: T[] = []
  for (let left = cursor.u32(); left > 0; left--) items.push(readItem(cursor))
  return items
}
