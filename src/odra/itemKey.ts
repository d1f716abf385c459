import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { encodeHex } from '../bytes/hex.ts'

/**
 * Returns the dictionary item key of an Odra field, in hex. It is the blake2b-256 of the field number as a big-endian
 * `u32`, followed by the `bytesrepr` of the mapping key.
 */
export function itemKey(field: number, mappingKey: Uint8Array = new Uint8Array()): string {
  const number = new Uint8Array(4)
  new DataView(number.buffer).setUint32(0, field)
  return encodeHex(blake2b(concatBytes(number, mappingKey), { dkLen: 32 }))
}
