import { DecodeError } from '../../bytes/cursor.ts'
import { type Block, decodeBlock } from '../../casper/types/block.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import type { RegistryName } from '../../registry/layout.ts'
import type { Reading } from '../../registry/reading.ts'

/** A reading as JSON: `amount` is text, because it may have 512 bits. */
export type ProvenReading = Omit<Reading, 'amount'> & { readonly amount: string }

/** One value of global state, as the node served it. */
export interface FeedProofItem {
  readonly registry: RegistryName
  /** The key as the node formats it: `hash-…` of package and contract, `dictionary-…` of an item. */
  readonly key: string
  readonly stored_value: unknown
  /** Hex. */
  readonly merkle_proof: string
}

/** A block as the node served it, without its body. */
export interface FeedProofBlock {
  readonly header: unknown
  /** 64 hex digits. */
  readonly hash: string
  readonly proofs: unknown
}

/** Everything needed to check a reading offline: plain JSON. */
export interface FeedProof {
  readonly reading: ProvenReading
  /** Place of the value in the feed's history, from 0; absent for the newest. */
  readonly index?: number
  readonly registries: {
    readonly chain_name: string
    /** 64 hex digits. */
    readonly feed_registry_package_hash: string
    /** 64 hex digits. */
    readonly attestation_registry_package_hash: string
  }
  /** Package, contract and dictionary item, of the FeedRegistry and then of the AttestationRegistry. */
  readonly items: readonly FeedProofItem[]
  /** The block whose state root the items lead to. */
  readonly block: FeedProofBlock
  /** Switch blocks up to the one before the block's era, oldest first. */
  readonly switch_blocks: readonly FeedProofBlock[]
}

const hasTexts = (value: unknown, names: readonly string[]): boolean =>
  isRecord(value) && names.every((name) => typeof value[name] === 'string')

const isBlock = (value: unknown): boolean =>
  hasTexts(value, ['hash']) && isRecord(value) && isRecord(value.header) && Array.isArray(value.proofs)

/**
 * Asserts the shape of a {@link FeedProof}, without checking what it proves.
 *
 * @throws {DecodeError}
 */
export function assertFeedProof(json: unknown): asserts json is FeedProof {
  const wrong = (rule: string): never => {
    throw new DecodeError('feed proof', rule)
  }
  if (!isRecord(json)) return wrong('it is not a JSON object')
  const { reading, index = 0, registries, items, block, switch_blocks } = json
  // Encoded as UTF-8, as on chain, a text with lone surrogates would become another one.
  if (!isRecord(reading) || typeof reading.feed_id !== 'string' || !reading.feed_id.isWellFormed())
    wrong('it has no "reading" with a "feed_id"')
  if (!Number.isSafeInteger(index) || Number(index) < 0) wrong('its "index" is no whole number')
  const named = ['chain_name', 'feed_registry_package_hash', 'attestation_registry_package_hash']
  if (!hasTexts(registries, named)) wrong(`its "registries" lack one of ${named.join(', ')}`)
  if (!Array.isArray(items) || !items.every((item) => hasTexts(item, ['registry', 'key', 'merkle_proof'])))
    wrong('its "items" are no list of {registry, key, stored_value, merkle_proof}')
  const blocks: unknown[] = Array.isArray(switch_blocks) ? [block, ...switch_blocks] : [null]
  if (!blocks.every(isBlock)) wrong('its "block" or "switch_blocks" are no blocks of {header, hash, proofs}')
}

/** Returns the parts of a node's `block_with_signatures` that a proof holds. @throws {DecodeError} */
export function proofBlockOf(json: unknown): FeedProofBlock {
  const { block, proofs } = isRecord(json) ? json : {}
  const content = isRecord(block) ? (block.Version2 ?? block.Version1) : undefined
  if (!isRecord(content)) throw new DecodeError('block', 'it is of neither version 1 nor 2')
  return { header: content.header, hash: String(content.hash), proofs }
}

/** Decodes a block of a proof. @throws {DecodeError} also if its hash is wrong. */
export function decodeProofBlock({ header, hash, proofs }: FeedProofBlock): Block {
  const { protocol_version: protocol } = isRecord(header) ? header : {}
  // Protocol 2 introduced the second version.
  const version = typeof protocol === 'string' && protocol.startsWith('1.') ? 'Version1' : 'Version2'
  return decodeBlock({ block: { [version]: { header, hash } }, proofs })
}
