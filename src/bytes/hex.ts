import { DecodeError } from './cursor.ts'

/** Encodes bytes as lower-case hex. */
export function encodeHex(bytes: Uint8Array): string {
  return bytes.toHex?.() ?? Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Decodes hex in either case. @throws {DecodeError} naming `what`. */
export function decodeHex(text: string, what: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new DecodeError(what, 'it is not hex')
  return (
    Uint8Array.fromHex?.(text) ??
    Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
  )
}
