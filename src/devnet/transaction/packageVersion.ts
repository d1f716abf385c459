import { uintOf } from '../params.ts'
import { encodeU32 } from './encode.ts'

/** A version of a package, or null for the newest. Throws an `InvalidParamsError`. */
export function parseVersion(value: unknown): number | null {
  return value === undefined || value === null ? null : uintOf(value, 0xffff_ffff)
}

/** `bytesrepr` of a version. */
export function encodeVersion(version: number | null): Uint8Array {
  return version === null ? Uint8Array.of(0) : Uint8Array.of(1, ...encodeU32(version))
}
