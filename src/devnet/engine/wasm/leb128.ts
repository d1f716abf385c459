import { deserializationError } from './preprocessingError.ts'

/** Whether a signed LEB128 that ends with these two bytes means the same without the last. */
export function isSignedPadding(before: number | undefined, last: number): boolean {
  if (before === undefined) return false
  return (last === 0 && (before & 0x40) === 0) || (last === 0x7f && (before & 0x40) !== 0)
}

/** The byte at an offset. Throws a `PreprocessingError` behind the last. */
export function byteAt(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset]
  if (byte === undefined) throw deserializationError('Unexpected end of input')
  return byte
}

/** Where an unsigned LEB128 integer of 32 bits ends. Throws a `PreprocessingError`. */
export function skipUnsigned(bytes: Uint8Array, from: number): number {
  let offset = from
  while (byteAt(bytes, offset) >= 0x80) offset += 1
  if (offset - from > 4) throw deserializationError('Not an unsigned 32-bit integer')
  return offset + 1
}

/** Where a signed LEB128 integer of 32 or 64 bits ends. Throws a `PreprocessingError`. */
export function skipSigned(bytes: Uint8Array, from: number, bits: 32 | 64): number {
  let offset = from
  while (byteAt(bytes, offset) >= 0x80) offset += 1
  if (7 * (offset - from) >= bits) throw deserializationError(`Not a signed ${bits}-bit integer`)
  return offset + 1
}

/** An unsigned LEB128 integer. */
export function decodeUnsigned(bytes: Uint8Array, from: number): number {
  let value = 0
  for (let offset = from, shift = 0; ; offset++, shift += 7) {
    const byte = byteAt(bytes, offset)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return value >>> 0
  }
}
