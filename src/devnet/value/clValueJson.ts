import { type Cursor, createCursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { type ClType, MOST_CL_TYPE_DEPTH } from './clType.ts'
import { formatKey, formatUref } from './formatKey.ts'
import { readKey } from './key.ts'

/**
 * The `parsed` of a `CLValue` as a node prints it, or null where it cannot: for `Any`, and for bytes that are not of
 * this type.
 *
 * A 64-bit integer above 2^53 comes out as the nearest double, because JavaScript's JSON has no larger ones.
 *
 * @example
 * ```ts
 * parseClValueJson({ List: 'U8' }, Uint8Array.of(1, 0, 0, 0, 7)) // [7]
 * ```
 */
export function parseClValueJson(clType: ClType, bytes: Uint8Array): unknown {
  const cursor = createCursor(bytes, 'CLValue')
  try {
    const value = readJson(cursor, clType, bytes.length, 0)
    cursor.end()
    return value
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/** @param most How many items a list may name at most: those of no bytes would otherwise cost nothing to name. */
function readJson(cursor: Cursor, clType: ClType, most: number, depth: number): unknown {
  if (depth >= MOST_CL_TYPE_DEPTH) throw wrong('it is too deep')
  const read = (type: ClType): unknown => readJson(cursor, type, most, depth + 1)
  if (typeof clType === 'string') return readSimple(cursor, clType)
  if ('Option' in clType) return readTag(cursor) === 0 ? null : read(clType.Option)
  if ('List' in clType) return readItems(cursor, most, () => read(clType.List))
  if ('ByteArray' in clType) return encodeHex(cursor.bytes(clType.ByteArray))
  if ('Result' in clType)
    return readTag(cursor) === 0 ? { Err: read(clType.Result.err) } : { Ok: read(clType.Result.ok) }
  if ('Map' in clType)
    return readItems(cursor, most, () => ({ key: read(clType.Map.key), value: read(clType.Map.value) }))
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
      return String(cursor.bigUint(64))
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
      throw wrong(`${clType} has no JSON`)
  }
}

/** The byte before an option, a result, and the byte that is a boolean: 0 or 1. */
function readTag(cursor: Cursor): number {
  const tag = cursor.u8()
  if (tag > 1) throw wrong(`tag ${tag}`)
  return tag
}

function readItems<T>(cursor: Cursor, most: number, read: () => T): T[] {
  const count = cursor.u32()
  if (count > most) throw wrong(`${count} items`)
  return Array.from({ length: count }, read)
}

/** Reads a URef's 33 bytes. Throws a `DecodeError`. */
export function readUref(cursor: Cursor): Uint8Array {
  const uref = cursor.bytes(33)
  if ((uref[32] ?? 0) > 7) throw new DecodeError('URef', 'no such access rights')
  return uref
}

/** Reads a public key with the byte that tells its algorithm. Throws a `DecodeError`. */
export function readPublicKey(cursor: Cursor): Uint8Array {
  const algorithm = cursor.u8()
  const length = [0, 32, 33][algorithm]
  if (length === undefined) throw new DecodeError('PublicKey', `no algorithm ${algorithm}`)
  return Uint8Array.of(algorithm, ...cursor.bytes(length))
}
