import { concatBytes } from '@noble/hashes/utils.js'
import { encodeU32 } from '../../bytes/byteWriter.ts'

/** Returns the `bytesrepr` of `Bytes`: the length, then the bytes. */
export const encodeBytes = (bytes: Uint8Array): Uint8Array => concatBytes(encodeU32(bytes.length), bytes)

/** Encodes a struct of casper-types 2: number of fields, index and offset of each, total length, and the fields. */
export function encodeCalltable(fields: readonly Uint8Array[]): Uint8Array {
  const head = new Uint8Array(headBytes(fields.length))
  const view = new DataView(head.buffer)
  view.setUint32(0, fields.length, true)
  let offset = 0
  for (const [index, field] of fields.entries()) {
    view.setUint16(4 + 6 * index, index, true)
    view.setUint32(6 + 6 * index, offset, true)
    offset += field.length
  }
  view.setUint32(4 + 6 * fields.length, offset, true)
  return concatBytes(head, ...fields)
}

export const countCalltable = (fields: readonly number[]): number =>
  fields.reduce((sum, bytes) => sum + bytes, headBytes(fields.length))

const headBytes = (fields: number): number => 8 + 6 * fields
