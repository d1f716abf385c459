import { DecodeError } from './cursor.ts'

/** Lower-case hex of some bytes. */
export function encodeHex(bytes: Uint8Array): string {
  // Joined, not concatenated: engines keep a concatenation as a tree of its parts.
  return Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join('')
}

/** The bytes that hex of either case stands for. Throws a {@link DecodeError} that names `what`. */
export function decodeHex(text: string, what: string): Uint8Array {
  if (text.length % 2 === 1 || /[^0-9a-f]/i.test(text)) throw new DecodeError(what, 'it is not hex')
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index++)
    bytes[index] = Number.parseInt(text.slice(2 * index, 2 * index + 2), 16)
  return bytes
}
