import { WattfeedError } from '../errors.ts'

/** The errors of the node's `bytesrepr`, in snake case. */
export type DecodeErrorKind =
  | 'early_end_of_stream'
  | 'left_over_bytes'
  | 'exceeded_recursion_depth'
  | 'formatting'

/**
 * Malformed bytes from a node. Another node may return correct ones.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, DecodeError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures)
 *     if (cause instanceof DecodeError) console.error(host, cause.what, cause.rule)
 * }
 * ```
 */
export class DecodeError extends WattfeedError {
  static override readonly name = 'DecodeError'
  readonly code = 'decode'
  readonly retryable = true

  constructor(
    /** Name of the data to decode. */
    readonly what: string,
    /** The violated rule. */
    readonly rule: string,
    /** The node's own category of the same error. */
    readonly kind: DecodeErrorKind = 'formatting',
  ) {
    super(`cannot decode ${what}: ${rule}`)
  }
}

/** Reads consecutive Casper `bytesrepr` values, and never past the end. */
export interface Cursor {
  u8(): number
  u32(): number
  u64(): bigint
  /** A length byte, then that many bytes in little-endian order: `U128`, `U256` and `U512`. */
  bigUint(maxBytes: number): bigint
  /** A `u32` length, then UTF-8. */
  string(): string
  bytes(length: number): Uint8Array
  /** A `u32` length, then the bytes. */
  byteList(): Uint8Array
  /** A `u32` count, then that many items. Each must take at least one byte, so that the input limits the list. */
  list<T>(readItem: (cursor: Cursor) => T): T[]
  rest(): Uint8Array
  end(): void
}

// On chain, a byte order mark is part of the text.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Creates a cursor at the first byte. Its methods throw a {@link DecodeError} with the name `what`. */
export function createCursor(source: Uint8Array, what: string): Cursor {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength)
  let offset = 0
  const fail = (rule: string, kind?: DecodeErrorKind): never => {
    throw new DecodeError(what, rule, kind)
  }
  const advance = (length: number): number => {
    const start = offset
    if (length > source.length - start)
      fail(`expected ${length} bytes at offset ${start}, input has ${source.length}`, 'early_end_of_stream')
    offset += length
    return start
  }
  const bytes = (length: number): Uint8Array => {
    const start = advance(length)
    return source.subarray(start, start + length)
  }
  const u8 = (): number => view.getUint8(advance(1))
  const u32 = (): number => view.getUint32(advance(4), true)
  const cursor: Cursor = {
    u8,
    u32,
    u64: () => view.getBigUint64(advance(8), true),
    bytes,
    byteList: () => bytes(u32()),
    list<T>(readItem: (cursor: Cursor) => T) {
      const items: T[] = []
      for (let left = u32(); left > 0; left--) items.push(readItem(cursor))
      return items
    },
    rest: () => bytes(source.length - offset),
    bigUint(maxBytes) {
      const length = u8()
      if (length > maxBytes) fail(`an integer of ${length} bytes exceeds the limit of ${maxBytes}`)
      return littleEndian(bytes(length))
    },
    string() {
      const text = cursor.byteList()
      try {
        return utf8.decode(text)
      } catch {
        return fail('text is not UTF-8')
      }
    },
    end() {
      if (offset !== source.length) fail(`${source.length - offset} trailing bytes`, 'left_over_bytes')
    },
  }
  return cursor
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n
  for (let index = bytes.length - 1; index >= 0; index--) value = (value << 8n) | BigInt(bytes[index] ?? 0)
  return value
}
