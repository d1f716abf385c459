import {
  type ByteWriter,
  type Cursor,
  createByteWriter,
  createCursor,
  DecodeError,
  encodeHex,
} from '@wattfeed/base'
import { type ClType, MAX_CL_TYPE_DEPTH, readClType, writeClType } from './clType.ts'
import { formatUref, readUref } from './key.ts'
import { formatKey, readKey } from './keyKinds.ts'
import { readU512 } from './u512.ts'

/** A value with its type, as contracts exchange and store them. */
export interface ClValue {
  readonly clType: ClType
  /** `bytesrepr` of the value alone. */
  readonly bytes: Uint8Array
}

/** An argument of a call, with the exact bytes that the client sent. */
export interface NamedArgument extends ClValue {
  readonly name: string
}

/** The `CLValue` of nothing. */
export const unitValue: ClValue = { clType: 'Unit', bytes: /* @__PURE__ */ new Uint8Array() }

/** Writes a `CLValue`: the length of its bytes, the bytes, then its type. */
export function writeClValue(writer: ByteWriter, { clType, bytes }: ClValue): ByteWriter {
  return writeClType(writer.byteList(bytes), clType)
}

/** Reads a `CLValue`. @throws {DecodeError} */
export function readClValue(cursor: Cursor): ClValue {
  const bytes = cursor.byteList()
  return { clType: readClType(cursor), bytes }
}

/** Decodes the bytes of a `CLValue`. @throws {DecodeError} */
export function decodeClValue(bytes: Uint8Array): ClValue {
  const cursor = createCursor(bytes, 'CLValue')
  const value = readClValue(cursor)
  cursor.end()
  return value
}

/** A `CLValue` in the node's JSON, without the redundant `parsed`. */
export interface PlainClValue {
  readonly cl_type: ClType
  /** Lower-case hex. */
  readonly bytes: string
}

export function formatPlainClValue({ clType, bytes }: ClValue): PlainClValue {
  return { cl_type: clType, bytes: encodeHex(bytes) }
}

/** Formats a `CLValue` as the node's JSON: the type, the bytes in hex, and the value as JSON if its type allows. */
export function formatClValue(value: ClValue): PlainClValue & { parsed: unknown } {
  return { ...formatPlainClValue(value), parsed: formatParsed(value) }
}

/**
 * Returns the `parsed` of a `CLValue` in the node's JSON; null for `Any` and for bytes that do not match the type.
 *
 * A 64-bit integer above 2^53 becomes the nearest double.
 */
export function formatParsed({ clType, bytes }: ClValue): unknown {
  const cursor = createCursor(bytes, 'CLValue')
  try {
    const value = readJson(cursor, clType, { itemsLeft: bytes.length }, 0)
    cursor.end()
    return value
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/** Limits the items of all lists together: a list can claim any number of items that take no bytes. */
interface Budget {
  itemsLeft: number
}

function readJson(cursor: Cursor, clType: ClType, budget: Budget, depth: number): unknown {
  if (depth >= MAX_CL_TYPE_DEPTH) throw wrong(`nested deeper than ${MAX_CL_TYPE_DEPTH}`)
  const read = (type: ClType): unknown => readJson(cursor, type, budget, depth + 1)
  if (typeof clType === 'string') return readSimple(cursor, clType)
  if ('Option' in clType) return readTag(cursor) === 0 ? null : read(clType.Option)
  if ('List' in clType) return readItems(cursor, budget, () => read(clType.List))
  if ('ByteArray' in clType) return encodeHex(cursor.bytes(clType.ByteArray))
  if ('Result' in clType)
    return readTag(cursor) === 0 ? { Err: read(clType.Result.err) } : { Ok: read(clType.Result.ok) }
  if ('Map' in clType)
    return readItems(cursor, budget, () => ({ key: read(clType.Map.key), value: read(clType.Map.value) }))
  if ('Tuple1' in clType) return clType.Tuple1.map(read)
  if ('Tuple2' in clType) return clType.Tuple2.map(read)
  return clType.Tuple3.map(read)
}

const wrong = (rule: string): DecodeError => new DecodeError('CLValue', rule)

function readSimple(cursor: Cursor, clType: string): unknown {
  switch (clType) {
    case 'Bool':
      return readTag(cursor) === 1
    case 'I32':
      return cursor.u32() | 0
    case 'I64':
      return Number(BigInt.asIntN(64, cursor.u64()))
    case 'U8':
      return cursor.u8()
    case 'U32':
      return cursor.u32()
    case 'U64':
      return Number(cursor.u64())
    case 'U128':
      return String(cursor.bigUint(16))
    case 'U256':
      return String(cursor.bigUint(32))
    case 'U512':
      return String(readU512(cursor))
    case 'Unit':
      return null
    case 'String':
      return cursor.string()
    case 'Key':
      return formatKey(readKey(cursor))
    case 'URef':
      return formatUref(readUref(cursor))
    case 'PublicKey':
      return encodeHex(readPublicKey(cursor))
    default:
      throw wrong(`${clType} has no JSON form`)
  }
}

/** Reads a public key with its algorithm byte: system, ed25519 or secp256k1. */
export function readPublicKey(cursor: Cursor): Uint8Array {
  const tag = cursor.u8()
  const length = [0, 32, 33][tag]
  if (length === undefined) throw new DecodeError('PublicKey', `unknown tag ${tag}`)
  return Uint8Array.of(tag, ...cursor.bytes(length))
}

/** Reads a byte that must be 0 or 1: a boolean, or the tag of an option or a result. */
function readTag(cursor: Cursor): number {
  const tag = cursor.u8()
  if (tag > 1) throw wrong(`expected tag 0 or 1, got ${tag}`)
  return tag
}

function readItems<T>(cursor: Cursor, budget: Budget, read: () => T): T[] {
  const count = cursor.u32()
  if (count > budget.itemsLeft) throw wrong(`${count} items exceed the limit`)
  budget.itemsLeft -= count
  return Array.from({ length: count }, read)
}

/** A dictionary item in its stored form. */
export interface DictionaryItem {
  readonly value: ClValue
  readonly seed: Uint8Array
  readonly itemKey: Uint8Array
}

/**
 * Encodes a dictionary item in its stored form: a `CLValue` of type `Any`. Its bytes are the serialized value, the seed's
 * address and the item key, the latter two as `Vec<u8>`.
 */
export function encodeDictionaryItem({ value, seed, itemKey }: DictionaryItem): ClValue {
  const writer = createByteWriter(value.bytes.length + itemKey.length + 48)
  return { clType: 'Any', bytes: writeClValue(writer, value).byteList(seed).byteList(itemKey).finish() }
}

/** Decodes a stored dictionary item. */
export function decodeDictionaryItem({ clType, bytes }: ClValue): DictionaryItem {
  if (clType !== 'Any') throw new DecodeError('dictionary item', 'the value is not a dictionary item')
  const cursor = createCursor(bytes, 'dictionary item')
  const value = readClValue(cursor)
  const seed = cursor.byteList()
  const itemKey = cursor.byteList()
  cursor.end()
  return { value, seed, itemKey }
}
