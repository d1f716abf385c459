import type { Cursor } from '../../bytes/cursor.ts'
import type { ByteWriter } from './byteWriter.ts'
import { compareText } from './compareText.ts'
import { formatKey } from './formatKey.ts'
import { readKey } from './key.ts'

/** Names of an account or a contract, and the serialized keys that they stand for. */
export type NamedKeys = ReadonlyMap<string, Uint8Array>

/** Entries of a map in the order in which the node keeps, writes and prints them. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => compareText(a, b))
}

export function writeNamedKeys(writer: ByteWriter, namedKeys: NamedKeys): ByteWriter {
  writer.u32(namedKeys.size)
  for (const [name, key] of sortedEntries(namedKeys)) writer.string(name).bytes(key)
  return writer
}

/** Throws a `DecodeError`. */
export function readNamedKeys(cursor: Cursor): Map<string, Uint8Array> {
  const namedKeys = new Map<string, Uint8Array>()
  for (let rest = cursor.u32(); rest > 0; rest--) namedKeys.set(cursor.string(), readKey(cursor))
  return namedKeys
}

/** Named keys as a node prints them. */
export function namedKeysJson(namedKeys: NamedKeys): { name: string; key: string }[] {
  return sortedEntries(namedKeys).map(([name, key]) => ({ name, key: formatKey(key) }))
}
