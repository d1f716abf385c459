import { deserializationError } from './preprocessingError.ts'

/** Reads a module's bytes in order. All methods throw an `ExecutionError` when bytes are malformed or missing. */
export interface WasmReader {
  isAtEnd(): boolean
  u8(): number
  /** Reads an unsigned 32-bit LEB128 integer. */
  u32(): number
  bytes(length: number): Uint8Array
  /** Reads a length, then UTF-8 text. */
  name(): string
  /** Returns a reader for the next bytes only. */
  part(length: number): WasmReader
  /** Reads a count, then that many items. */
  list<T>(read: () => T): T[]
  /** Returns the remaining bytes without advancing. */
  rest(): Uint8Array
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function createWasmReader(source: Uint8Array): WasmReader {
  const end = source.length
  let offset = 0
  const u8 = (): number => {
    if (offset >= end) throw endOfInput()
    return source[offset++] ?? 0
  }
  const u32 = (): number => {
    const first = u8()
    return first < 0x80 ? first : longU32(first)
  }
  const longU32 = (first: number): number => {
    let value = first & 0x7f
    for (let shift = 7; ; shift += 7) {
      const byte = u8()
      if (shift === 28 && byte > 0x0f) throw deserializationError('Not an unsigned 32-bit integer')
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
  }
  const bytes = (length: number): Uint8Array => {
    if (length > end - offset) throw endOfInput()
    offset += length
    return source.subarray(offset - length, offset)
  }
  return {
    isAtEnd: () => offset === end,
    u8,
    u32,
    bytes,
    name() {
      const text = bytes(u32())
      try {
        return utf8.decode(text)
      } catch {
        throw deserializationError('Non-UTF-8 string')
      }
    },
    part: (length) => createWasmReader(bytes(length)),
    list(read) {
      const items = []
      for (let rest = u32(); rest > 0; rest--) items.push(read())
      return items
    },
    rest: () => source.subarray(offset),
  }
}

const endOfInput = (): Error => deserializationError('Unexpected end of input')
