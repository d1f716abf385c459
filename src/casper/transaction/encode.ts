import { concatBytes } from '@noble/hashes/utils.js'
import * as littleEndian from '../../bytes/littleEndian.ts'
import { WattfeedError } from '../../errors.ts'

/** A value that the type of an argument does not hold. Nothing was sent. */
export class ArgumentError extends WattfeedError {
  static override readonly name = 'ArgumentError'
  readonly code = 'argument'
  readonly retryable = false

  constructor(
    /** What it must be. */
    readonly rule: string,
  ) {
    super(`the argument must be ${rule}`)
  }
}

const utf8 = new TextEncoder()

/** `bytesrepr` of a `u32`: 4 bytes little-endian. */
export const encodeU32 = (value: number): Uint8Array => encodeUint(BigInt(value), 4)

/** `bytesrepr` of an unsigned integer of a fixed width, little-endian. @throws {ArgumentError} */
export function encodeUint(value: bigint, bytes: number): Uint8Array {
  assertUint(value, bytes)
  return littleEndian.encodeLittleEndian(value, bytes)
}

/**
 * `bytesrepr` of `U128`, `U256` and `U512`: how many bytes the number needs, then those, little-endian.
 *
 * @throws {ArgumentError} where it needs more than `maxBytes`.
 */
export function encodeBigUint(value: bigint, maxBytes: number): Uint8Array {
  assertUint(value, maxBytes)
  return littleEndian.encodeBigUint(value)
}

/** `bytesrepr` of a `String`: length in bytes, then UTF-8. @throws {ArgumentError} */
export function encodeText(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new ArgumentError('a text without lone surrogates: the chain holds UTF-8')
  return encodeBytes(utf8.encode(text))
}

/** `bytesrepr` of `Bytes`: length, then the bytes. */
export const encodeBytes = (bytes: Uint8Array): Uint8Array => concatBytes(encodeU32(bytes.length), bytes)

function assertUint(value: bigint, bytes: number): void {
  if (value < 0n || value >> BigInt(bytes * 8) !== 0n)
    throw new ArgumentError(`an integer from 0 to 2^${bytes * 8} - 1`)
}
