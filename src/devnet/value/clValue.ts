import { type Cursor, createCursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { type ByteWriter, createByteWriter } from './byteWriter.ts'
import { type ClType, readClType, writeClType } from './clType.ts'
import { parseClValueJson } from './clValueJson.ts'

/** A value of the chain with its type. */
export interface ClValue {
  readonly clType: ClType
  /** `bytesrepr` of the value alone. */
  readonly bytes: Uint8Array
}

/** An argument of a call: raw, so that what a client sent stays as it is. */
export interface NamedArgument extends ClValue {
  readonly name: string
}

/** The only value of type `Unit`. */
export const unitValue: ClValue = { clType: 'Unit', bytes: new Uint8Array() }

/** Writes a `CLValue`: the length of its bytes, those, then its type. */
export function writeClValue(writer: ByteWriter, { clType, bytes }: ClValue): ByteWriter {
  return writeClType(writer.byteList(bytes), clType)
}

/** Reads one `CLValue`. Throws a `DecodeError`. */
export function readClValue(cursor: Cursor): ClValue {
  const bytes = cursor.bytes(cursor.u32())
  return { clType: readClType(cursor), bytes }
}

/** Decodes exactly one `CLValue`. Throws a `DecodeError`. */
export function decodeClValue(bytes: Uint8Array): ClValue {
  const cursor = createCursor(bytes, 'CLValue')
  const value = readClValue(cursor)
  cursor.end()
  return value
}

/** A `CLValue` as a node prints it: type, hex, and the value as JSON where its type tells how. */
export function clValueJson({ clType, bytes }: ClValue): {
  cl_type: ClType
  bytes: string
  parsed: unknown
} {
  return { cl_type: clType, bytes: encodeHex(bytes), parsed: parseClValueJson(clType, bytes) }
}

/** What stands in a dictionary under an item key. */
export interface DictionaryItem {
  readonly value: ClValue
  /** The address of the seed URef. */
  readonly seed: Uint8Array
  readonly itemKey: Uint8Array
}

/**
 * A dictionary item as global state keeps it: a `CLValue` of type `Any` whose bytes are the serialized value, then the
 * seed's address and the item key, each as `Vec<u8>`.
 */
export function encodeDictionaryItem({ value, seed, itemKey }: DictionaryItem): ClValue {
  const writer = createByteWriter(value.bytes.length + itemKey.length + 48)
  return { clType: 'Any', bytes: writeClValue(writer, value).byteList(seed).byteList(itemKey).finish() }
}

/** Throws a `DecodeError` where a `CLValue` is not a dictionary item. */
export function decodeDictionaryItem({ clType, bytes }: ClValue): DictionaryItem {
  if (clType !== 'Any') throw new DecodeError('dictionary item', 'its type is not Any')
  const cursor = createCursor(bytes, 'dictionary item')
  const value = readClValue(cursor)
  const seed = cursor.bytes(cursor.u32())
  const itemKey = cursor.bytes(cursor.u32())
  cursor.end()
  return { value, seed, itemKey }
}
