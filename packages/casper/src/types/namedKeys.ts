import type { ByteWriter, Cursor } from '@wattfeed/base'
import { formatKey, readKey } from './keyKinds.ts'

/** Serialized keys of an account or a contract, by name. */
export type NamedKeys = ReadonlyMap<string, Uint8Array>

/** Reads named keys. @throws {DecodeError} */
export function readNamedKeys(cursor: Cursor): Map<string, Uint8Array> {
  return new Map(cursor.list(() => [cursor.string(), readKey(cursor)]))
}

export function writeNamedKeys(writer: ByteWriter, namedKeys: NamedKeys): ByteWriter {
  return writer.list(sortedEntries(namedKeys), ([name, key]) => writer.string(name).bytes(key))
}

/** Formats named keys like a node, sorted by name. */
export function formatNamedKeys(namedKeys: NamedKeys): { name: string; key: string }[] {
  return sortedEntries(namedKeys).map(([name, key]) => ({ name, key: formatKey(key) }))
}

/** Lists the entries of a map in the order of a node. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compareText(a, b))
}

/**
 * Compares texts by UTF-8 bytes, like a node orders the names in its maps. That is the order of code points, unlike
 * JavaScript's order of UTF-16 units.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

// Surrogates rank last, because they encode code points above U+FFFF.
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
