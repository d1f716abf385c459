import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { BlockHeader } from './blockHeader.ts'
import { encodeBlockHeader } from './encodeBlockHeader.ts'

/** A block's hash, 64 hex digits: blake2b-256 over its header. */
export function hashBlockHeader(header: BlockHeader): string {
  return bytesToHex(blake2b(encodeBlockHeader(header), { dkLen: 32 }))
}
