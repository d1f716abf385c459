import { type Cursor, createByteWriter, createCursor, DecodeError } from '@wattfeed/base'
import { ArgumentError } from './argumentError.ts'
import type { ClType } from './clType.ts'

/** Maximum size of a `U512` in bytes, without the byte of its length. */
export const U512_BYTES = 64

/** Creates a `U512`, for example of motes. @throws {ArgumentError} when it is negative or above 2^512 - 1. */
export const clU512 = (value: bigint): { clType: 'U512'; bytes: Uint8Array } => ({
  clType: 'U512',
  bytes: encodeBigUint(value, U512_BYTES),
})

/** Reads a `U512`: a length byte, then that many bytes in little-endian order. */
export const readU512 = (cursor: Cursor): bigint => cursor.bigUint(U512_BYTES)

/** Returns a `U512`; null if the value has another type, or is not valid. */
export function decodeU512({ clType, bytes }: { clType: ClType; bytes: Uint8Array }): bigint | null {
  if (clType !== 'U512') return null
  try {
    const cursor = createCursor(bytes, 'U512')
    const value = readU512(cursor)
    cursor.end()
    return value
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/**
 * Encodes a `U128`, `U256` or `U512`: the length in bytes, then the bytes in little-endian order.
 *
 * @throws {ArgumentError} when the value is negative or needs more than `maxBytes`.
 */
export function encodeBigUint(value: bigint, maxBytes: number): Uint8Array {
  return createByteWriter().bigUint(uint(value, maxBytes)).finish()
}

/** Returns a whole number of at most so many bytes. @throws {ArgumentError} for any other. */
export function uint(value: bigint | number, bytes: number): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new ArgumentError({ rule: 'an integer; above 2^53 use a bigint' })
  const whole = BigInt(value)
  if (whole < 0n || whole >> BigInt(bytes * 8) !== 0n)
    throw new ArgumentError({ rule: `an integer from 0 to 2^${bytes * 8} - 1` })
  return whole
}
