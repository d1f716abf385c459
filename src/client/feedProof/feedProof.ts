import { DecodeError } from '../../bytes/cursor.ts'
import { type Block, decodeBlock } from '../../casper/types/block.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import type { RegistryName } from '../../registry/layout.ts'
import type { Reading } from '../../registry/reading.ts'

/** A reading as JSON: `amount` is decimal text, because it may have 512 bits. */
export type ProvenReading = Omit<Reading, 'amount'> & { readonly amount: string }

/** One value of global state, as the node served it. */
export interface FeedProofItem {
  /** The registry that the value belongs to. */
  readonly registry: RegistryName
  /** The key as the node formats it: `hash-…` for a package or contract, `dictionary-…` for an item. */
  readonly key: string
  /** The stored value as the node's JSON. */
  readonly stored_value: unknown
  /** Merkle proof of the value, in hex. */
  readonly merkle_proof: string
}

/** A block as the node served it, without its body. */
export interface FeedProofBlock {
  /** Header as the node's JSON. */
  readonly header: unknown
  /** Hash of the block: 64 hex digits. */
  readonly hash: string
  /** Finality signatures as the node's JSON. */
  readonly proofs: unknown
}

/** Proof of a reading, which {@link verifyFeedProof} verifies offline. Plain JSON. */
export interface FeedProof {
  /** The reading that the proof is for. */
  readonly reading: ProvenReading
  /** Index of the value in the feed's history, from 0; absent for the newest value. */
  readonly index?: number
  /** The registries that the reading comes from. */
  readonly registries: {
    /** Name of the chain. */
    readonly chain_name: string
    /** Package hash of the FeedRegistry: 64 hex digits. */
    readonly feed_registry_package_hash: string
    /** Package hash of the AttestationRegistry: 64 hex digits. */
    readonly attestation_registry_package_hash: string
  }
  /** Package, contract and dictionary item: of the FeedRegistry first, then of the AttestationRegistry. */
  readonly items: readonly FeedProofItem[]
  /** The block whose state root the items are proven against. */
  readonly block: FeedProofBlock
  /** The switch blocks from the trusted one to the last before the block, oldest first. */
  readonly switch_blocks: readonly FeedProofBlock[]
}

const hasTexts = (value: unknown, names: readonly string[]): boolean =>
  isRecord(value) && names.every((name) => typeof value[name] === 'string')

const isBlock = (value: unknown): boolean =>
  hasTexts(value, ['hash']) && isRecord(value) && isRecord(value.header) && Array.isArray(value.proofs)

/**
 * Asserts the shape of a {@link FeedProof}. Does not verify the proof.
 *
 * @throws {@link DecodeError} when the shape is wrong.
 */
export function assertFeedProof(json: unknown): asserts json is FeedProof {
  const wrong = (rule: string): never => {
    throw new DecodeError('feed proof', rule)
  }
  if (!isRecord(json)) return wrong('it is not a JSON object')
  const { reading, index = 0, registries, items, block, switch_blocks } = json
  // A string with lone surrogates changes when it is encoded as UTF-8, as on chain.
  if (!isRecord(reading) || typeof reading.feed_id !== 'string' || !reading.feed_id.isWellFormed())
    wrong('it has no "reading" with a "feed_id"')
  if (!Number.isSafeInteger(index) || Number(index) < 0) wrong('its "index" is not a non-negative integer')
  const named = ['chain_name', 'feed_registry_package_hash', 'attestation_registry_package_hash']
  if (!hasTexts(registries, named)) wrong(`its "registries" must have ${named.join(', ')}`)
  if (!Array.isArray(items) || !items.every((item) => hasTexts(item, ['registry', 'key', 'merkle_proof'])))
    wrong('its "items" are not an array of {registry, key, stored_value, merkle_proof}')
  const blocks: unknown[] = Array.isArray(switch_blocks) ? [block, ...switch_blocks] : [null]
  if (!blocks.every(isBlock)) wrong('its "block" or "switch_blocks" are not blocks of {header, hash, proofs}')
}

/**
 * Returns the parts of a node's `block_with_signatures` that belong in a proof.
 *
 * @throws {@link DecodeError} when it is not a block of a known version.
 */
export function proofBlockOf(json: unknown): FeedProofBlock {
  const { block, proofs } = isRecord(json) ? json : {}
  const content = isRecord(block) ? (block.Version2 ?? block.Version1) : undefined
  if (!isRecord(content)) throw new DecodeError('block', 'its version is neither 1 nor 2')
  return { header: content.header, hash: String(content.hash), proofs }
}

/**
 * Decodes a block of a proof.
 *
 * @throws {@link DecodeError} when it is malformed, or its hash is wrong.
 */
export function decodeProofBlock({ header, hash, proofs }: FeedProofBlock): Block {
  const { protocol_version: protocol } = isRecord(header) ? header : {}
  // Protocol 2 introduced the second version.
  const version = typeof protocol === 'string' && protocol.startsWith('1.') ? 'Version1' : 'Version2'
  return decodeBlock({ block: { [version]: { header, hash } }, proofs })
}
