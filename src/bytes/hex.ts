import { DecodeError } from './cursor.ts'

/** Lower-case hex of some bytes; native where the runtime can. */
export function encodeHex(bytes: Uint8Array): string {
  return bytes.toHex?.() ?? Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The bytes that hex of either case stands for. @throws {DecodeError} that names `what`. */
export function decodeHex(text: string, what: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new DecodeError(what, 'it is not hex')
  return (
    Uint8Array.fromHex?.(text) ??
    Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
  )
}
