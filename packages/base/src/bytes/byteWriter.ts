import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** Writes consecutive Casper `bytesrepr` values, without range checks. */
export interface ByteWriter {
  u8(value: number): ByteWriter
  u32(value: number): ByteWriter
  u64(value: bigint | number): ByteWriter
  /** A length byte, then that many bytes in little-endian order: `U128`, `U256` and `U512`. */
  bigUint(value: bigint): ByteWriter
  /** A `u32` length in bytes, then UTF-8. */
  string(text: string): ByteWriter
  bytes(bytes: Uint8Array): ByteWriter
  hex(digits: string): ByteWriter
  /** A `u32` length, then the bytes. */
  byteList(bytes: Uint8Array): ByteWriter
  list<T>(items: readonly T[], write: (item: T) => void): ByteWriter
  finish(): Uint8Array
}

/** @param capacity expected size in bytes; the writer grows beyond it */
export function createByteWriter(capacity = 64): ByteWriter {
  let buffer = new Uint8Array(capacity)
  let view = new DataView(buffer.buffer)
  let length = 0
  /** Makes room for more bytes and returns their offset. */
  const advance = (count: number): number => {
    length += count
    if (length > buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * buffer.length))
      grown.set(buffer)
      buffer = grown
      view = new DataView(grown.buffer)
    }
    return length - count
  }
  const writer: ByteWriter = {
    u8(value) {
      const start = advance(1)
      buffer[start] = value
      return writer
    },
    u32(value) {
      const start = advance(4)
      view.setUint32(start, value, true)
      return writer
    },
    u64(value) {
      const start = advance(8)
      view.setBigUint64(start, BigInt(value), true)
      return writer
    },
    bigUint(value) {
      const digits = value === 0n ? '' : value.toString(16)
      // Via hex, because a loop over 64 bytes is six times slower and a switch block has thousands of these.
      const bytes = hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`).reverse()
      return writer.u8(bytes.length).bytes(bytes)
    },
    bytes(bytes) {
      const start = advance(bytes.length)
      buffer.set(bytes, start)
      return writer
    },
    hex: (digits) => writer.bytes(hexToBytes(digits)),
    byteList: (bytes) => writer.u32(bytes.length).bytes(bytes),
    list(items, write) {
      writer.u32(items.length)
      items.forEach(write)
      return writer
    },
    string: (text) => writer.byteList(utf8ToBytes(text)),
    finish: () => buffer.slice(0, length),
  }
  return writer
}

export const encodeString = (text: string): Uint8Array => createByteWriter().string(text).finish()

export const encodeU32 = (value: number): Uint8Array => createByteWriter(4).u32(value).finish()

export const encodeU64 = (value: bigint | number): Uint8Array => createByteWriter(8).u64(value).finish()
