/** An unsigned integer as so many bytes little-endian. The caller knows that it fits. */
export function encodeLittleEndian(value: bigint | number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let rest = BigInt(value)
  for (let index = 0; index < length; index++, rest >>= 8n) bytes[index] = Number(rest & 255n)
  return bytes
}

/** `bytesrepr` of `U512` and its like: how many bytes the number needs, then those, little-endian. */
export function encodeBigUint(value: bigint): Uint8Array {
  const length = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2)
  const bytes = new Uint8Array(1 + length)
  bytes[0] = length
  bytes.set(encodeLittleEndian(value, length), 1)
  return bytes
}
