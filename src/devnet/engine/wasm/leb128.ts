import { deserializationError } from './preprocessingError.ts'

/** Whether the last byte of a signed LEB128 is redundant. */
export function isSignedPadding(before: number | undefined, last: number): boolean {
  if (before === undefined) return false
  return (last === 0 && (before & 0x40) === 0) || (last === 0x7f && (before & 0x40) !== 0)
}

/** Whether an unsigned LEB128 in the instruction at `from` has a redundant byte. */
export function hasUnsignedPadding(bytes: Uint8Array, from: number, end: number): boolean {
  for (let offset = from + 2; offset < end; offset++)
    if (bytes[offset] === 0 && (bytes[offset - 1] ?? 0) >= 0x80) return true
  return false
}

/** Returns the byte at an offset. @throws {ExecutionError} when the offset is after the end of the input */
export function byteAt(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset]
  if (byte === undefined) throw deserializationError('Unexpected end of input')
  return byte
}

/** Returns the end of an unsigned 32-bit LEB128 integer. @throws {ExecutionError} when it is too long */
export function skipUnsigned(bytes: Uint8Array, from: number): number {
  let offset = from
  while (byteAt(bytes, offset) >= 0x80) offset += 1
  if (offset - from > 4) throw deserializationError('Not an unsigned 32-bit integer')
  return offset + 1
}

/** Returns the end of a signed LEB128 integer. @throws {ExecutionError} when it is too long */
export function skipSigned(bytes: Uint8Array, from: number, bits: 32 | 64): number {
  let offset = from
  while (byteAt(bytes, offset) >= 0x80) offset += 1
  if (7 * (offset - from) >= bits) throw deserializationError(`Not a signed ${bits}-bit integer`)
  return offset + 1
}

export function decodeUnsigned(bytes: Uint8Array, from: number): number {
  let value = 0
  for (let offset = from, shift = 0; ; offset++, shift += 7) {
    const byte = byteAt(bytes, offset)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return value >>> 0
  }
}
