import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'

/** An unsigned integer as so many bytes little-endian. The caller knows that it fits. */
export function encodeLittleEndian(value: bigint | number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let rest = BigInt(value)
  for (let index = 0; index < length; index++, rest >>= 8n) bytes[index] = Number(rest & 255n)
  return bytes
}

/** `bytesrepr` of `U512` and its like: how many bytes the number needs, then those, little-endian. */
export function encodeBigUint(value: bigint): Uint8Array {
  const digits = value === 0n ? '' : value.toString(16)
  // By its digits: a loop over 64 bytes takes six times as long, and a switch block has thousands of these.
  const bytes = hexToBytes(digits.padStart(digits.length + (digits.length % 2), '0')).reverse()
  return concatBytes(Uint8Array.of(bytes.length), bytes)
}
