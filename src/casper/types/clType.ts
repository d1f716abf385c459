import { type Cursor, DecodeError } from '../../bytes/cursor.ts'

/** A `CLType` as a node prints it: `"U8"`, `{ List: "U8" }`, `{ Map: { key: "String", value: "Any" } }`. */
export type ClType = string | { [name: string]: ClType | ClType[] | number }

/** By tag. The ones in between are not simple: they go on with other types or a length. */
const SIMPLE_TYPES: Readonly<Record<number, string>> = {
  0: 'Bool',
  1: 'I32',
  2: 'I64',
  3: 'U8',
  4: 'U32',
  5: 'U64',
  6: 'U128',
  7: 'U256',
  8: 'U512',
  9: 'Unit',
  10: 'String',
  11: 'Key',
  12: 'URef',
  21: 'Any',
  22: 'PublicKey',
}

/** A node refuses types that are nested deeper (`CL_TYPE_RECURSION_DEPTH`). */
const MAX_DEPTH = 50

/** Reads a serialized `CLType`. @throws {DecodeError} where the tag is unknown or the type nested too deeply. */
export function readClType(cursor: Cursor, depth = 0): ClType {
  if (depth >= MAX_DEPTH) throw new DecodeError('CLType', `it is nested deeper than ${MAX_DEPTH}`)
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
      throw new DecodeError('CLType', `tag ${tag} is unknown`)
  }
}
