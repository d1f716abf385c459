/** Writes Casper `bytesrepr` as lower-case hex, independently of the decoders under test. */

const littleEndian = (value: bigint, bytes: number): string =>
  Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex')
    .reverse()
    .toString('hex')

export const u8 = (value: number): string => littleEndian(BigInt(value), 1)

export const u32 = (value: number): string => littleEndian(BigInt(value), 4)

export const u64 = (value: bigint | number): string => littleEndian(BigInt(value), 8)

/** A length byte, then the minimal bytes of the value. */
export function u512(value: bigint): string {
  const length = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2)
  return u8(length) + (length === 0 ? '' : littleEndian(value, length))
}

export function string(text: string): string {
  const bytes = Buffer.from(text)
  return u32(bytes.length) + bytes.toString('hex')
}

/** `List<U8>`, in which Odra and the event standard wrap stored values. */
export const list = (hex: string): string => u32(hex.length / 2) + hex

/** BLAKE2b-256 of hex, as hex. */
export const blake2b = (hex: string): string =>
  new Bun.CryptoHasher('blake2b256').update(Buffer.from(hex, 'hex')).digest('hex')

/** BLAKE2b-256 of text: an arbitrary hash. */
export const hashOf = (text: string): string => blake2b(Buffer.from(text).toString('hex'))

/** Key of an Odra dictionary item: `fieldIndex` counts from 1, `keyHex` is the encoded mapping key. */
export const odraItemKey = (fieldIndex: number, keyHex = ''): string =>
  blake2b(Buffer.from(u32(fieldIndex), 'hex').reverse().toString('hex') + keyHex)
