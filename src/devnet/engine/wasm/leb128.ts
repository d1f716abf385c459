/** The shortest LEB128 of an unsigned 32-bit integer. */
export function encodeU32(value: number): number[] {
  const bytes: number[] = []
  let rest = value >>> 0
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  bytes.push(rest)
  return bytes
}

/** The shortest LEB128 of a signed 32-bit integer. */
export function encodeI32(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value | 0; ; rest >>= 7) {
    const byte = rest & 0x7f
    const isLast = rest >> 6 === 0 || rest >> 6 === -1
    bytes.push(isLast ? byte : byte | 0x80)
    if (isLast) return bytes
  }
}

/** Whether a signed LEB128 that ends with these two bytes means the same without the last. */
export function isSignedPadding(before: number | undefined, last: number): boolean {
  if (before === undefined) return false
  return (last === 0 && (before & 0x40) === 0) || (last === 0x7f && (before & 0x40) !== 0)
}
