import { concatBytes } from '@noble/hashes/utils.js'
import { encodeU32 } from './encode.ts'

/** A type of the chain's values, as the node's JSON writes it. */
export type ClType = SimpleType | { List: ClType } | { ByteArray: number }

type SimpleType = keyof typeof tags

const tags = { Bool: 0, U8: 3, U64: 5, U256: 7, U512: 8, String: 10, Key: 11, Any: 21 } as const
const LIST = 14
const BYTE_ARRAY = 15

/** `bytesrepr` of a type: what follows a value's bytes in a transaction. */
export function encodeClType(type: ClType): Uint8Array {
  if (typeof type === 'string') return Uint8Array.of(tags[type])
  if ('List' in type) return concatBytes(Uint8Array.of(LIST), encodeClType(type.List))
  return concatBytes(Uint8Array.of(BYTE_ARRAY), encodeU32(type.ByteArray))
}
