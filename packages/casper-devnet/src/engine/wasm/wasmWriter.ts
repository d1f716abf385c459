export interface WasmWriter {
  u8(byte: number): WasmWriter
  /** Writes the minimal LEB128 of an unsigned 32-bit integer. */
  u32(value: number): WasmWriter
  /** Writes the minimal LEB128 of a signed 32-bit integer. */
  i32(value: number): WasmWriter
  bytes(bytes: ArrayLike<number>): WasmWriter
  copy(bytes: Uint8Array, from: number, to: number): WasmWriter
  /** Writes a length, then UTF-8 text. */
  name(text: string): WasmWriter
  clear(): WasmWriter
  /** Returns the written bytes as a view. The next write invalidates it. */
  written(): Uint8Array
}

const utf8 = new TextEncoder()

// Up to this length, copying byte by byte is faster than creating a view.
const SHORT = 24

export function createWasmWriter(capacity = 64): WasmWriter {
  let buffer = new Uint8Array(capacity)
  let length = 0
  const reserve = (count: number): void => {
    if (length + count <= buffer.length) return
    const grown = new Uint8Array(Math.max(length + count, 2 * buffer.length))
    grown.set(buffer)
    buffer = grown
  }
  const writer: WasmWriter = {
    u8(byte) {
      reserve(1)
      buffer[length++] = byte
      return writer
    },
    u32(value) {
      reserve(5)
      let rest = value >>> 0
      while (rest >= 0x80) {
        buffer[length++] = (rest & 0x7f) | 0x80
        rest >>>= 7
      }
      buffer[length++] = rest
      return writer
    },
    i32(value) {
      reserve(5)
      let rest = value | 0
      while (rest >> 6 !== 0 && rest >> 6 !== -1) {
        buffer[length++] = (rest & 0x7f) | 0x80
        rest >>= 7
      }
      buffer[length++] = rest & 0x7f
      return writer
    },
    bytes(bytes) {
      reserve(bytes.length)
      if (bytes.length > SHORT) {
        buffer.set(bytes, length)
        length += bytes.length
      } else for (let index = 0; index < bytes.length; index++) buffer[length++] = bytes[index] ?? 0
      return writer
    },
    copy(bytes, from, to) {
      if (to - from > SHORT) return writer.bytes(bytes.subarray(from, to))
      reserve(to - from)
      for (let index = from; index < to; index++) buffer[length++] = bytes[index] ?? 0
      return writer
    },
    name(text) {
      const encoded = utf8.encode(text)
      return writer.u32(encoded.length).bytes(encoded)
    },
    clear() {
      length = 0
      return writer
    },
    written: () => buffer.subarray(0, length),
  }
  return writer
}
