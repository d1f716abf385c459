import { DecodeError } from '@wattfeed/base'
import type { AbsenceEvidence } from '@wattfeed/casper'
import { type Block, decodeBlock, isRecord } from '@wattfeed/casper/types'
import type { ProvenLeaf, RangeEvidence, SeriesQuery, SeriesRange, Statement } from '@wattfeed/dataset'
import type { Attestation } from '../../registry/attestation.ts'
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

/** The registries that a proof is about. */
export interface ProvenRegistries {
  /** Name of the chain. */
  readonly chain_name: string
  /** Package hash of the FeedRegistry: 64 hex digits. */
  readonly feed_registry_package_hash: string
  /** Package hash of the AttestationRegistry: 64 hex digits. */
  readonly attestation_registry_package_hash: string
}

/** The block that a proof holds at, and the blocks that prove it. */
export interface ProvenAtBlock {
  /** The block whose state root the items are proven against. */
  readonly block: FeedProofBlock
  /** The switch blocks from the trusted one to the last before the block, oldest first. */
  readonly switch_blocks: readonly FeedProofBlock[]
}

/** Proof of a reading, which {@link verifyFeedProof} verifies offline. Plain JSON. */
export interface FeedProof extends ProvenAtBlock {
  /** Format of the proof. */
  readonly format: 2
  /** The reading that the proof is for. */
  readonly reading: ProvenReading
  /** Index of the value in the feed's history, from 0; absent for the newest value. */
  readonly index?: number
  /** Number of the feed's values. The newest one is number `count`, at index `count - 1`. */
  readonly count: number
  /** The registries that the reading comes from. */
  readonly registries: ProvenRegistries
  /**
   * Package, contract and dictionary item: of the FeedRegistry first, then of the AttestationRegistry. The item of `count`
   * follows.
   */
  readonly items: readonly FeedProofItem[]
  /**
   * Who may attest to the feed, with the keys of that account. Present if it was requested; null if it cannot be proven.
   */
  readonly attester?: AttesterProof | null
}

/** A proof of a reading as served. Format 1 has neither `format` nor `count`, nor the item of `count`. */
export type ServedFeedProof = Omit<FeedProof, 'format' | 'count'> &
  Partial<Pick<FeedProof, 'format' | 'count'>>

/** Proof of who may attest to a feed, at the same state root as the reading. */
export interface AttesterProof {
  /** The claimant of the feed. With `unclaimed`, the owner of the FeedRegistry. */
  readonly claimant: FeedProofItem
  /** Shows that the feed was registered before claims, so that it has no claimant. */
  readonly unclaimed?: AbsenceEvidenceJson
  /** The account of the claimant; absent for a contract. */
  readonly account?: AccountItem
}

/** An account of global state, as the node served it. */
export interface AccountItem extends Omit<FeedProofItem, 'registry' | 'key'> {
  /** `account-hash-…` */
  readonly key: string
}

/** Evidence of the trie that a dictionary item is absent. */
export type AbsenceEvidenceJson =
  | {
      /** Merkle proof of another value, in hex. It shows the place of the item empty. */
      readonly merkle_proof: string
    }
  | {
      /** Elements of the trie in hex, from the state root to the end of the item's path. */
      readonly trie_elements: readonly string[]
    }

export const jsonOf = (evidence: AbsenceEvidence): AbsenceEvidenceJson =>
  'merkleProof' in evidence
    ? { merkle_proof: evidence.merkleProof }
    : { trie_elements: evidence.trieElements }

export const evidenceOf = (json: AbsenceEvidenceJson): AbsenceEvidence =>
  'merkle_proof' in json ? { merkleProof: json.merkle_proof } : { trieElements: json.trie_elements }

/** Evidence that a feed is not registered, or has no value. */
export type FeedAbsenceEvidence =
  | AbsenceEvidenceJson
  | {
      /** The FeedRegistry's number of feeds, then each of its ids. */
      readonly ids: readonly FeedProofItem[]
    }

/** Proof that a feed is not registered, or has no value. {@link verifyFeedProof} verifies it offline. Plain JSON. */
export interface FeedAbsence extends ProvenAtBlock {
  /** Format of the proof. */
  readonly format: 2
  /** Id of the feed. */
  readonly feed_id: string
  /** `feed`: it is not registered. `value`: it has no value. */
  readonly absent: 'feed' | 'value'
  /** The registries that lack it. */
  readonly registries: ProvenRegistries
  /** Package and contract of the FeedRegistry for `feed`, of the AttestationRegistry for `value`. */
  readonly items: readonly FeedProofItem[]
  /** Shows that the registry has no item for the feed. */
  readonly evidence: FeedAbsenceEvidence
}

/**
 * Proof of the complete list of registered feeds, which {@link verifyFeedProof} verifies offline. Plain JSON. It is complete
 * because the registry numbers its ids from 0, and its number of feeds is proven at the same block.
 */
export interface FeedsProof extends ProvenAtBlock {
  /** Format of the proof. */
  readonly format: 2
  /** Number of registered feeds. */
  readonly feed_count: number
  /** Ids of all feeds, in the order of registration. */
  readonly feed_ids: readonly string[]
  /** The registries that the list comes from. */
  readonly registries: ProvenRegistries
  /** Package and contract of the FeedRegistry, its number of feeds, then each of its ids. */
  readonly items: readonly FeedProofItem[]
}

/** An attested value as JSON: `amount` is decimal text. */
export type ProvenValue = Omit<Attestation, 'amount'> & { readonly amount: string }

/**
 * Proof of a feed's complete history, which {@link verifyFeedProof} verifies offline. Plain JSON. It is complete because the
 * registry numbers the values from 0, and their number is proven at the same block.
 */
export interface HistoryProof extends ProvenAtBlock {
  /** Format of the proof. */
  readonly format: 2
  /** Id of the feed. */
  readonly feed_id: string
  /** Number of the feed's values. */
  readonly count: number
  /** All values, oldest first. */
  readonly values: readonly ProvenValue[]
  /** The registries that the values come from. */
  readonly registries: ProvenRegistries
  /** Package and contract of the AttestationRegistry, the number of values, then each value. */
  readonly items: readonly FeedProofItem[]
}

/**
 * Proof of what a dataset says about a series, by a root of the dataset on chain. {@link verifyFeedProof} verifies it offline. Plain
 * JSON.
 */
export interface SeriesProof {
  /** Format of the proof. */
  readonly format: 1
  /** The series, and the requested period; null for its newest. */
  readonly series: SeriesQuery
  /** What is proven: a value, or that there is none. */
  readonly statement: Statement
  /** One or two neighboring leaves that show it. */
  readonly leaves: readonly ProvenLeaf[]
  /** Proof of the attestation with the root. It has an `index` if that is not the newest. */
  readonly root: FeedProof
}

/**
 * Proof of all values of a range of a series of a dataset, by a root of the dataset on chain. {@link verifyFeedProof} verifies it
 * offline. Plain JSON.
 */
export interface RangeProof extends RangeEvidence {
  /** Format of the proof. */
  readonly format: 1
  /** The series, and which of its values the proof has. */
  readonly range: SeriesRange
  /** Proof of the attestation with the root. It has an `index` if that is not the newest, or was requested. */
  readonly root: FeedProof
}

/**
 * Returns the parts of a node's `block_with_signatures` that belong in a proof.
 *
 * @throws {@link DecodeError} when it is not a block of a known version.
 */
export function proofBlockOf(json: unknown): FeedProofBlock {
  const { block, proofs } = isRecord(json) ? json : {}
  const content = isRecord(block) ? (block.Version2 ?? block.Version1) : undefined
  if (!isRecord(content)) throw new DecodeError('block', 'expected Version1 or Version2')
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
