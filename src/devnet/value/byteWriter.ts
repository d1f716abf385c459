const utf8 = new TextEncoder()

/** Writes Casper `bytesrepr` values one after another. */
export interface ByteWriter {
  u8(value: number): ByteWriter
  u32(value: number): ByteWriter
  u64(value: bigint | number): ByteWriter
  /** One length byte, then that many bytes little-endian: `U128`, `U256` and `U512`. */
  bigUint(value: bigint): ByteWriter
  /** A `u32` length in bytes, then UTF-8. */
  string(text: string): ByteWriter
  /** As they are, without a length. */
  bytes(bytes: Uint8Array): ByteWriter
  /** A `u32` length, then the bytes. */
  byteList(bytes: Uint8Array): ByteWriter
  /** What was written so far. */
  finish(): Uint8Array
}

/**
 * Starts with nothing written.
 *
 * @example
 * ```ts
 * createByteWriter().u8(1).string('state').finish()
 * ```
 */
export function createByteWriter(capacity = 64): ByteWriter {
  let buffer = new Uint8Array(capacity)
  let view = new DataView(buffer.buffer)
  let length = 0
  /** Makes room for more bytes, and tells where they start. */
  const advance = (count: number): number => {
    const start = length
    length += count
    if (length > buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * buffer.length))
      grown.set(buffer)
      buffer = grown
      view = new DataView(grown.buffer)
    }
    return start
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
      const little: number[] = []
      for (let rest = value; rest > 0n; rest >>= 8n) little.push(Number(rest & 255n))
      return writer.u8(little.length).bytes(Uint8Array.from(little))
    },
    bytes(bytes) {
      const start = advance(bytes.length)
      buffer.set(bytes, start)
      return writer
    },
    byteList: (bytes) => writer.u32(bytes.length).bytes(bytes),
    string: (text) => writer.byteList(utf8.encode(text)),
    finish: () => buffer.slice(0, length),
  }
  return writer
}
