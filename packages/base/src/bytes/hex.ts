import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { DecodeError } from './cursor.ts'

export const encodeHex: (bytes: Uint8Array) => string = bytesToHex

/** Decodes hex in either case. @throws {DecodeError} with the name `what`. */
export function decodeHex(text: string, what: string): Uint8Array {
  try {
    return hexToBytes(text)
  } catch {
    throw new DecodeError(what, 'expected hex')
  }
}
