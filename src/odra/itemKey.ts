import { blake2b } from '@noble/hashes/blake2.js'
import { encodeHex } from '../bytes/hex.ts'

const utf8 = new TextEncoder()

/**
 * Returns the dictionary item key of an Odra field: hex of blake2b-256 over the field's number as a big-endian `u32` and
 * the mapping key's `bytesrepr`.
 *
 * @example
 * ```ts
 * itemKey(4) // FeedRegistry.count
 * itemKey(2, encodeString('EIA.PET.PRICE.WTI.DAILY')) // FeedRegistry.feeds[…]
 * ```
 */
export function itemKey(field: number, mappingKey: Uint8Array = new Uint8Array()): string {
  const preimage = new Uint8Array(4 + mappingKey.length)
  new DataView(preimage.buffer).setUint32(0, field)
  preimage.set(mappingKey, 4)
  return encodeHex(blake2b(preimage, { dkLen: 32 }))
}

/** Encodes a `String`: `u32` little-endian length in bytes, then UTF-8. */
export function encodeString(text: string): Uint8Array {
  const encoded = utf8.encode(text)
  const bytes = new Uint8Array(4 + encoded.length)
  new DataView(bytes.buffer).setUint32(0, encoded.length, true)
  bytes.set(encoded, 4)
  return bytes
}

/** Encodes a `u64`: 8 bytes little-endian. */
export function encodeU64(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true)
  return bytes
}
