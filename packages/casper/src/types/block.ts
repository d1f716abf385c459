import { DecodeError } from '@wattfeed/base'
import { type BlockHeader, decodeBlockHeader, hashBlockHeader } from './blockHeader.ts'
import { hash, listOf, publicKey, record } from './jsonField.ts'

/** A validator's signature of a block. */
export interface FinalitySignature {
  /** Hex, starting with the algorithm byte. */
  publicKey: string
  /** Hex, starting with the algorithm byte. Unchecked, so it can be any text. */
  signature: string
}

/** The parts of a block that its hash and its finality depend on. */
export interface Block {
  /** 64 hex digits, checked against the header. */
  hash: string
  header: BlockHeader
  /** Unchecked. */
  proofs: FinalitySignature[]
}

/**
 * Decodes the `block_with_signatures` of `chain_get_block` and checks its hash against its header.
 *
 * @throws {DecodeError} when it is not a block of a known version, or its hash is wrong.
 */
export function decodeBlock(json: unknown): Block {
  const { block, proofs } = record(json, 'block_with_signatures')
  const [version, content] = versioned(block)
  const header = decodeBlockHeader(content.header, version)
  const named = hash(content.hash, 'block hash')
  if (hashBlockHeader(header) !== named)
    throw new DecodeError('block', `its header does not hash to ${named}`)
  return { hash: named, header, proofs: decodeFinalitySignatures(proofs) }
}

function decodeFinalitySignatures(json: unknown): FinalitySignature[] {
  return listOf(record)(json, 'proofs').map(({ public_key, signature }) => ({
    publicKey: publicKey(public_key, 'public_key'),
    signature: typeof signature === 'string' ? signature.toLowerCase() : '',
  }))
}

function versioned(json: unknown): [1 | 2, Record<string, unknown>] {
  const block = record(json, 'block')
  if (block.Version2 !== undefined) return [2, record(block.Version2, 'Version2')]
  if (block.Version1 !== undefined) return [1, record(block.Version1, 'Version1')]
  throw new DecodeError('block', 'expected Version1 or Version2')
}
