import { DecodeError } from '../../bytes/cursor.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { type ClType, isSimpleClType, MOST_CL_TYPE_DEPTH } from './clType.ts'

/** The type that a node's JSON writes: `"U64"`, `{"List":"U8"}`. Throws a `DecodeError`. */
export function parseClType(json: unknown, depth = 0): ClType {
  if (depth >= MOST_CL_TYPE_DEPTH) throw wrong(`it is more than ${MOST_CL_TYPE_DEPTH} deep`)
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
      return { Result: { ok: parse(member(inner, 'ok')), err: parse(member(inner, 'err')) } }
    case 'Map':
      return { Map: { key: parse(member(inner, 'key')), value: parse(member(inner, 'value')) } }
    case 'Tuple1':
      return { Tuple1: [parse(first)] }
    case 'Tuple2':
      return { Tuple2: [parse(first), parse(second)] }
    case 'Tuple3':
      return { Tuple3: [parse(first), parse(second), parse(third)] }
    default:
      throw wrong('it is not in the form of a node')
  }
}

const wrong = (rule: string): DecodeError => new DecodeError('cl_type', rule)

const member = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)

function parseSimple(name: string): ClType {
  if (isSimpleClType(name)) return name
  throw wrong(`there is no type ${name}`)
}

function parseLength(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32) return value
  throw wrong('a ByteArray needs a length')
}
