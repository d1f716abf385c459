import {
  type ByteWriter,
  type Cursor,
  createByteWriter,
  DecodeError,
  type DecodeErrorKind,
  memberAt,
} from '@wattfeed/base'
import { isRecord } from './jsonField.ts'

/** The type of a value on chain, in the form of the node's JSON. */
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

/** A type without parameters. */
export type SimpleClType = NonNullable<(typeof SIMPLE_TYPES)[number]>

/** Types without parameters, by tag. The types of the eight gaps have parameters: other types, or a length. */
export const SIMPLE_TYPES = [
  'Bool',
  'I32',
  'I64',
  'U8',
  'U32',
  'U64',
  'U128',
  'U256',
  'U512',
  'Unit',
  'String',
  'Key',
  'URef',
  ...Array<undefined>(8),
  'Any',
  'PublicKey',
] as const

/** Maximum nesting depth of a type, including the outermost type (`CL_TYPE_RECURSION_DEPTH`). */
export const MAX_CL_TYPE_DEPTH = 50

/** Reads a serialized type. @throws {DecodeError} when a tag is unknown or the type is nested too deeply. */
export function readClType(cursor: Cursor, depth = 0): ClType {
  assertDepth(depth)
  const tag = cursor.u8()
  const simple = SIMPLE_TYPES[tag]
  if (simple !== undefined) return simple
  const inner = (): ClType => readClType(cursor, depth + 1)
  switch (tag) {
    case 13:
      return { Option: inner() }
    case 14:
      return { List: inner() }
    case 15:
      return { ByteArray: cursor.u32() }
    case 16:
      return { Result: { ok: inner(), err: inner() } }
    case 17:
      return { Map: { key: inner(), value: inner() } }
    case 18:
      return { Tuple1: [inner()] }
    case 19:
      return { Tuple2: [inner(), inner()] }
    case 20:
      return { Tuple3: [inner(), inner(), inner()] }
    default:
      throw wrong(`unknown tag ${tag}`)
  }
}

export function writeClType(writer: ByteWriter, type: ClType): ByteWriter {
  if (typeof type === 'string') return writer.u8(SIMPLE_TYPES.indexOf(type))
  if ('Option' in type) return writeClType(writer.u8(13), type.Option)
  if ('List' in type) return writeClType(writer.u8(14), type.List)
  if ('ByteArray' in type) return writer.u8(15).u32(type.ByteArray)
  if ('Result' in type) return writeAll(writer.u8(16), [type.Result.ok, type.Result.err])
  if ('Map' in type) return writeAll(writer.u8(17), [type.Map.key, type.Map.value])
  if ('Tuple1' in type) return writeAll(writer.u8(18), type.Tuple1)
  if ('Tuple2' in type) return writeAll(writer.u8(19), type.Tuple2)
  return writeAll(writer.u8(20), type.Tuple3)
}

const writeAll = (writer: ByteWriter, types: readonly ClType[]): ByteWriter =>
  types.reduce((rest, type) => writeClType(rest, type), writer)

export const encodeClType = (type: ClType): Uint8Array => writeClType(createByteWriter(4), type).finish()

/** Parses a type in the node's JSON: `"U64"`, `{"List":"U8"}`. */
export function parseClType(json: unknown, depth = 0): ClType {
  assertDepth(depth)
  if (typeof json === 'string') return parseSimple(json)
  const [name, inner] = isRecord(json) ? (Object.entries(json)[0] ?? []) : []
  const parse = (type: unknown): ClType => parseClType(type, depth + 1)
  const [first, second, third] = Array.isArray(inner) ? inner : []
  switch (name) {
    case 'Option':
      return { Option: parse(inner) }
    case 'List':
      return { List: parse(inner) }
    case 'ByteArray':
      return { ByteArray: parseLength(inner) }
    case 'Result':
      return { Result: { ok: parse(memberAt(inner, 'ok')), err: parse(memberAt(inner, 'err')) } }
    case 'Map':
      return { Map: { key: parse(memberAt(inner, 'key')), value: parse(memberAt(inner, 'value')) } }
    case 'Tuple1':
      return { Tuple1: [parse(first)] }
    case 'Tuple2':
      return { Tuple2: [parse(first), parse(second)] }
    case 'Tuple3':
      return { Tuple3: [parse(first), parse(second), parse(third)] }
    default:
      throw wrong('expected a type in the JSON form of a node')
  }
}

function parseSimple(text: string): ClType {
  const name = SIMPLE_TYPES.find((each) => each === text)
  if (name === undefined) throw wrong(`unknown type ${text}`)
  return name
}

function parseLength(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32) return value
  throw wrong('a ByteArray needs a length')
}

function assertDepth(depth: number): void {
  if (depth >= MAX_CL_TYPE_DEPTH)
    throw wrong(`nested deeper than ${MAX_CL_TYPE_DEPTH}`, 'exceeded_recursion_depth')
}

const wrong = (rule: string, kind?: DecodeErrorKind): DecodeError => new DecodeError('CLType', rule, kind)

/** Returns whether values of a type are keys of global state. */
export const isKeyType = (type: ClType): boolean => type === 'Key' || type === 'URef'
