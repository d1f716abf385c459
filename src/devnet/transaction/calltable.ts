import { concatBytes } from '@noble/hashes/utils.js'

/**
 * A struct as casper-types 2 serializes it: how many fields, index and offset of each, how many bytes they take,
 * and then all of them.
 */
export function encodeCalltable(fields: readonly Uint8Array[]): Uint8Array {
  const head = new Uint8Array(8 + 6 * fields.length)
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
