import { type Cursor, DecodeError } from '../../bytes/cursor.ts'
import { type ByteWriter, createByteWriter } from './byteWriter.ts'

/** A type of the chain's values, as the node's JSON writes it. */
export type ClType =
  | SimpleClType
  | { readonly Option: ClType }
  | { readonly List: ClType }
  | { readonly ByteArray: number }
  | { readonly Result: { readonly ok: ClType; readonly err: ClType } }
  | { readonly Map: { readonly key: ClType; readonly value: ClType } }
  | { readonly Tuple1: readonly [ClType] }
  | { readonly Tuple2: readonly [ClType, ClType] }
  | { readonly Tuple3: readonly [ClType, ClType, ClType] }

export type SimpleClType = keyof typeof simpleTags

const simpleTags = {
  Bool: 0,
  I32: 1,
  I64: 2,
  U8: 3,
  U32: 4,
  U64: 5,
  U128: 6,
  U256: 7,
  U512: 8,
  Unit: 9,
  String: 10,
  Key: 11,
  URef: 12,
  Any: 21,
  PublicKey: 22,
} as const

const tags = { Option: 13, List: 14, ByteArray: 15, Result: 16, Map: 17, Tuple1: 18, Tuple2: 19, Tuple3: 20 }

/** Whether a text names a type that has no inner ones. */
export const isSimpleClType = (name: string): name is SimpleClType => Object.hasOwn(simpleTags, name)

const simpleTypes: ReadonlyMap<number, SimpleClType> = new Map(
  Object.keys(simpleTags)
    .filter(isSimpleClType)
    .map((name) => [simpleTags[name], name]),
)

/** How deeply types may stand inside each other, the outermost included. */
export const MOST_CL_TYPE_DEPTH = 50

/** Writes a type's `bytesrepr`. */
export function writeClType(writer: ByteWriter, type: ClType): ByteWriter {
  if (typeof type === 'string') return writer.u8(simpleTags[type])
  if ('Option' in type) return writeClType(writer.u8(tags.Option), type.Option)
  if ('List' in type) return writeClType(writer.u8(tags.List), type.List)
  if ('ByteArray' in type) return writer.u8(tags.ByteArray).u32(type.ByteArray)
  if ('Result' in type) return writeAll(writer.u8(tags.Result), [type.Result.ok, type.Result.err])
  if ('Map' in type) return writeAll(writer.u8(tags.Map), [type.Map.key, type.Map.value])
  if ('Tuple1' in type) return writeAll(writer.u8(tags.Tuple1), type.Tuple1)
  if ('Tuple2' in type) return writeAll(writer.u8(tags.Tuple2), type.Tuple2)
  return writeAll(writer.u8(tags.Tuple3), type.Tuple3)
}

const writeAll = (writer: ByteWriter, types: readonly ClType[]): ByteWriter =>
  types.reduce((rest, type) => writeClType(rest, type), writer)

/** `bytesrepr` of a type. */
export const encodeClType = (type: ClType): Uint8Array => writeClType(createByteWriter(4), type).finish()

/** Reads one type. Throws a `DecodeError`, also where types stand more than 50 deep. */
export function readClType(cursor: Cursor, depth = 0): ClType {
  if (depth >= MOST_CL_TYPE_DEPTH)
    throw new DecodeError('CLType', `it is more than ${MOST_CL_TYPE_DEPTH} deep`)
  const tag = cursor.u8()
  const simple = simpleTypes.get(tag)
  if (simple !== undefined) return simple
  const read = (): ClType => readClType(cursor, depth + 1)
  switch (tag) {
    case tags.Option:
      return { Option: read() }
    case tags.List:
      return { List: read() }
    case tags.ByteArray:
      return { ByteArray: cursor.u32() }
    case tags.Result:
      return { Result: { ok: read(), err: read() } }
    case tags.Map:
      return { Map: { key: read(), value: read() } }
    case tags.Tuple1:
      return { Tuple1: [read()] }
    case tags.Tuple2:
      return { Tuple2: [read(), read()] }
    case tags.Tuple3:
      return { Tuple3: [read(), read(), read()] }
    default:
      throw new DecodeError('CLType', `there is no type ${tag}`)
  }
}

/** Whether a value's type is one of keys: such a value hands on access rights. */
export const isKeyType = (type: ClType): boolean => type === 'Key' || type === 'URef'
