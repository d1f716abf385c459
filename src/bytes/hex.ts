import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { DecodeError } from './cursor.ts'

/** Lower-case hex of some bytes; native where the runtime can. */
export const encodeHex: (bytes: Uint8Array) => string = bytesToHex

/** The bytes that hex of either case stands for. Throws a {@link DecodeError} that names `what`. */
export function decodeHex(text: string, what: string): Uint8Array {
  try {
    return hexToBytes(text)
  } catch {
    throw new DecodeError(what, 'it is not hex')
  }
}
