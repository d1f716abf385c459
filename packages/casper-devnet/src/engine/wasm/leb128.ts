import { deserializationError } from './preprocessingError.ts'

// All offsets here are those of an integer's first byte.

/** The bit of a signed LEB128's last byte that is repeated to the left. */
const SIGN_BIT = 0x40

/** Returns whether the last byte of a signed LEB128 is redundant: it only repeats the sign of the byte before. */
export function isSignedPadding(before: number | undefined, last: number): boolean {
  if (before === undefined) return false
  return last === ((before & SIGN_BIT) === 0 ? 0 : 0x7f)
}

/** Returns whether the last byte of an unsigned LEB128 is redundant: it only adds zeros to the left. */
export const isUnsignedPadding = (before: number | undefined, last: number): boolean =>
  last === 0 && before !== undefined && before >= 0x80

/** Returns whether one of the consecutive unsigned LEB128 integers from `start` to `end` has a redundant byte. */
export function hasUnsignedPadding(bytes: Uint8Array, start: number, end: number): boolean {
  for (let offset = start + 1; offset < end; offset++)
    if (isUnsignedPadding(bytes[offset - 1], bytes[offset] ?? 0)) return true
  return false
}

/** Returns the byte at an offset. @throws {ExecutionError} when the offset is after the end of the input */
export function byteAt(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset]
  if (byte === undefined) throw deserializationError('Unexpected end of input')
  return byte
}

/** Returns the end of an unsigned 32-bit LEB128 integer. @throws {ExecutionError} when it is too long */
export function skipUnsigned(bytes: Uint8Array, start: number): number {
  let offset = start
  while (byteAt(bytes, offset) >= 0x80) offset += 1
  if (offset - start > 4) throw deserializationError('Not an unsigned 32-bit integer')
  return offset + 1
}

/** Returns the end of a signed LEB128 integer. @throws {ExecutionError} when it is too long */
export function skipSigned(bytes: Uint8Array, start: number, bits: 32 | 64): number {
  let offset = start
  while (byteAt(bytes, offset) >= 0x80) offset += 1
  if (7 * (offset - start) >= bits) throw deserializationError(`Not a signed ${bits}-bit integer`)
  return offset + 1
}

/** Returns an unsigned 32-bit integer. Its length is not checked: every caller also skips the integer, which does that. */
export function decodeUnsigned(bytes: Uint8Array, start: number): number {
  let value = 0
  for (let offset = start, shift = 0; ; offset++, shift += 7) {
    const byte = byteAt(bytes, offset)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return value >>> 0
  }
}

/** Returns a signed 32-bit integer. Its length is not checked, as in {@link decodeUnsigned}. */
export function decodeSigned(bytes: Uint8Array, start: number): number {
  let value = 0
  for (let offset = start, shift = 0; ; offset++, shift += 7) {
    const byte = byteAt(bytes, offset)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return shift + 7 < 32 && (byte & SIGN_BIT) !== 0 ? value | (-1 << (shift + 7)) : value
  }
}

/** Returns a signed 7-bit integer, which a node does not read beyond its byte. @throws {ExecutionError} when it continues */
export function decodeSigned7(byte: number): number {
  if (byte >= 0x80) throw deserializationError(`Not a signed 7-bit integer: ${byte}`)
  return (byte & SIGN_BIT) === 0 ? byte : byte - 0x80
}
