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

/** Tags of the types with parameters: other types, or a length. */
const TAGS = {
  Option: 13,
  List: 14,
  ByteArray: 15,
  Result: 16,
  Map: 17,
  Tuple1: 18,
  Tuple2: 19,
  Tuple3: 20,
} as const

/** Types without parameters, by tag. In the gaps are the {@link TAGS} of the others. */
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
  ...Array<undefined>(Object.keys(TAGS).length),
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
    case TAGS.Option:
      return { Option: inner() }
    case TAGS.List:
      return { List: inner() }
    case TAGS.ByteArray:
      return { ByteArray: cursor.u32() }
    case TAGS.Result:
      return { Result: { ok: inner(), err: inner() } }
    case TAGS.Map:
      return { Map: { key: inner(), value: inner() } }
    case TAGS.Tuple1:
      return { Tuple1: [inner()] }
    case TAGS.Tuple2:
      return { Tuple2: [inner(), inner()] }
    case TAGS.Tuple3:
      return { Tuple3: [inner(), inner(), inner()] }
    default:
      throw wrong(`unknown tag ${tag}`)
  }
}

export function writeClType(writer: ByteWriter, type: ClType): ByteWriter {
  if (typeof type === 'string') return writer.u8(SIMPLE_TYPES.indexOf(type))
  if ('Option' in type) return writeClType(writer.u8(TAGS.Option), type.Option)
  if ('List' in type) return writeClType(writer.u8(TAGS.List), type.List)
  if ('ByteArray' in type) return writer.u8(TAGS.ByteArray).u32(type.ByteArray)
  if ('Result' in type) return writeAll(writer.u8(TAGS.Result), [type.Result.ok, type.Result.err])
  if ('Map' in type) return writeAll(writer.u8(TAGS.Map), [type.Map.key, type.Map.value])
  if ('Tuple1' in type) return writeAll(writer.u8(TAGS.Tuple1), type.Tuple1)
  if ('Tuple2' in type) return writeAll(writer.u8(TAGS.Tuple2), type.Tuple2)
  return writeAll(writer.u8(TAGS.Tuple3), type.Tuple3)
}

const writeAll = (writer: ByteWriter, types: readonly ClType[]): ByteWriter =>
  types.reduce((rest, type) => writeClType(rest, type), writer)

export const encodeClType = (type: ClType): Uint8Array => writeClType(createByteWriter(4), type).finish()

/** Parses a type in the node's JSON: `"U64"`, `{"List":"U8"}`. */
export function parseClType(json: unknown, depth = 0): ClType {
  assertDepth(depth)
  if (typeof json === 'string') return parseSimple(json)
  const [member = [], ...others] = isRecord(json) ? Object.entries(json) : []
  const [name, inner] = others.length === 0 ? member : []
  const parse = (type: unknown): ClType => parseClType(type, depth + 1)
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
    case 'Tuple1': {
      const [first] = itemsOf(inner, 1)
      return { Tuple1: [parse(first)] }
    }
    case 'Tuple2': {
      const [first, second] = itemsOf(inner, 2)
      return { Tuple2: [parse(first), parse(second)] }
    }
    case 'Tuple3': {
      const [first, second, third] = itemsOf(inner, 3)
      return { Tuple3: [parse(first), parse(second), parse(third)] }
    }
    default:
      throw wrong('expected a type in the JSON form of a node')
  }
}

function parseSimple(text: string): ClType {
  const name = SIMPLE_TYPES.find((each) => each === text)
  if (name === undefined) throw wrong(`unknown type ${text}`)
  return name
}

function itemsOf(tuple: unknown, count: number): readonly unknown[] {
  if (Array.isArray(tuple) && tuple.length === count) return tuple
  throw wrong(`a Tuple${count} needs a list of as many types`)
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
