import { DecodeError } from '../../bytes/cursor.ts'
import { type Block, decodeBlock } from '../../casper/types/block.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import type { FeedProofBlock } from './feedProof.ts'

/** What a proof keeps of a node's `block_with_signatures`. */
export function proofBlockOf(json: unknown): FeedProofBlock {
  const { block, proofs } = isRecord(json) ? json : {}
  const content = isRecord(block) ? (block.Version2 ?? block.Version1) : undefined
  if (!isRecord(content)) throw new DecodeError('block', 'it is of neither version 1 nor 2')
  return { header: content.header, hash: String(content.hash), proofs }
}

/** Decodes a block of a proof. @throws {DecodeError} also where it does not hash to what it names. */
export function decodeProofBlock({ header, hash, proofs }: FeedProofBlock): Block {
  const { protocol_version: protocol } = isRecord(header) ? header : {}
  // Protocol 2 has brought the second shape.
  const version = typeof protocol === 'string' && protocol.startsWith('1.') ? 'Version1' : 'Version2'
  return decodeBlock({ block: { [version]: { header, hash } }, proofs })
}
