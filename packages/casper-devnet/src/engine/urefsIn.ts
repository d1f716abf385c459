import { type Cursor, createCursor, DecodeError } from '@wattfeed/base'
import {
  accessRights,
  type ClType,
  type ClValue,
  isKeyType,
  keyTags,
  readKey,
  readUref,
} from '@wattfeed/casper/types'

import { decodeInput } from './executionError.ts'

/** Lengths of the simple types that always have the same. */
const lengths: Readonly<Partial<Record<string, number>>> = { Bool: 1, U8: 1, I32: 4, U32: 4, I64: 8, U64: 8 }

/**
 * Lists the URefs in a value, as views of its bytes. Like a node, it finds a single key, and keys in a list, an option, a
 * result, a map or a tuple of simple types.
 *
 * @throws {DecodeError} when the bytes do not match the type
 */
export function urefsIn({ clType, bytes }: ClValue): Uint8Array[] {
  const inner = innerTypes(clType)
  if (!inner.some(isKeyType) || !inner.every((type) => typeof type === 'string' && type !== 'Any')) return []
  const cursor = createCursor(bytes, 'CLValue')
  const urefs: Uint8Array[] = []
  collect(cursor, clType, urefs)
  cursor.end()
  return urefs
}

/** Like {@link urefsIn}. @throws {ExecutionError} when the bytes do not match the type */
export const urefsOf = (value: ClValue): Uint8Array[] => decodeInput(() => urefsIn(value), 'CLValue error')

/** Removes the write right from all URefs with an address: contracts cannot write to a purse that is passed to them. */
export function withoutWriteRight(value: ClValue, address: Uint8Array): ClValue {
  const attenuated = { ...value, bytes: value.bytes.slice() }
  for (const uref of urefsIn(attenuated))
    if (isSame(uref.subarray(0, 32), address)) uref[32] = (uref[32] ?? 0) & ~accessRights.write
  return attenuated
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, index) => byte === b[index])

/** Returns the types directly inside a type. For a simple type, returns the type itself. */
function innerTypes(type: ClType): readonly ClType[] {
  if (typeof type === 'string') return [type]
  if ('Option' in type) return [type.Option]
  if ('List' in type) return [type.List]
  if ('Result' in type) return [type.Result.ok, type.Result.err]
  if ('Map' in type) return [type.Map.key, type.Map.value]
  if ('Tuple1' in type) return type.Tuple1
  if ('Tuple2' in type) return type.Tuple2
  if ('Tuple3' in type) return type.Tuple3
  return []
}

function collect(cursor: Cursor, type: ClType, urefs: Uint8Array[]): void {
  const collectInner = (inner: ClType): void => collectSimple(cursor, inner, urefs)
  if (typeof type === 'string') collectInner(type)
  else if ('Option' in type) {
    if (readTag(cursor) === 1) collectInner(type.Option)
  } else if ('Result' in type) collectInner(readTag(cursor) === 1 ? type.Result.ok : type.Result.err)
  else if ('List' in type || 'Map' in type)
    for (let rest = cursor.u32(); rest > 0; rest--) innerTypes(type).forEach(collectInner)
  else innerTypes(type).forEach(collectInner)
}

function collectSimple(cursor: Cursor, type: ClType, urefs: Uint8Array[]): void {
  if (type === 'String') cursor.byteList()
  else if (type === 'U128' || type === 'U256' || type === 'U512') cursor.bytes(cursor.u8())
  else if (type === 'PublicKey') cursor.bytes(cursor.u8() === 1 ? 32 : 33)
  else if (type === 'URef') urefs.push(cursor.bytes(33))
  else if (type === 'Key') {
    const tag = cursor.u8()
    // `readKey` returns a copy, and the caller needs a view.
    if (tag === keyTags.uref) urefs.push(readUref(cursor))
    else readKey(cursor, tag)
  } else cursor.bytes(typeof type === 'string' ? (lengths[type] ?? 0) : 0)
}

function readTag(cursor: Cursor): number {
  const tag = cursor.u8()
  if (tag > 1) throw new DecodeError('CLValue', `tag ${tag}`)
  return tag
}
