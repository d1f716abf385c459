import type { Leaf, SeriesQuery, SeriesRange, Statement } from '@wattfeed/dataset'
import type { Attestation } from '../../registry/attestation.ts'
import type { Reading } from '../../registry/reading.ts'
import type { Attester } from '../attester.ts'

/** The facts that a proof must match, from sources that the user trusts. */
export interface FeedProofTrust {
  /** Hash of a switch block, which is the last block of an era: 64 hex digits. */
  trustedBlockHash: string
  /** Name of the chain. */
  chainName: string
  /** Package hash of the FeedRegistry: 64 hex digits. */
  feedRegistryPackageHash: string
  /** Package hash of the AttestationRegistry: 64 hex digits. */
  attestationRegistryPackageHash: string
  /**
   * Id of the requested feed.
   * @default any feed
   */
  feedId?: string
  /**
   * Requested index in the feed's history, from 0; null for the newest value.
   * @default any value
   */
  index?: number | null
  /**
   * Requested list: `feeds` for the ids of all feeds, `history` for all values of the feed.
   * @default any proof
   */
  list?: 'feeds' | 'history'
  /**
   * Requested series of a dataset, and its period; null for the newest. `feedId`, `index` and `list` are then left out.
   * @default any proof
   */
  series?: SeriesQuery
  /**
   * Requested range of a series of a dataset. Then `feedId`, `list` and `series` are left out, and `index` is that of the attestation
   * of the root.
   * @default any proof
   */
  range?: SeriesRange
  /**
   * Maximum age of the proof's block, in milliseconds. If set, the block may also not be more than a minute in the future.
   * @default no limit, because an old proof still proves an old value
   */
  maxAgeMs?: number
  /**
   * Wall clock in epoch milliseconds.
   * @default Date.now
   */
  now?: () => number
}

/** One checked link of the chain from the trusted block to the reading. */
export interface CheckedLink {
  /** Name of the link: `finality signatures of block 903`. */
  readonly link: string
  /** Whether the link holds. */
  readonly holds: boolean
  /** The result of the check, or the rule that was broken. */
  readonly detail: string
}

/** The item proven to be absent, as of the block. */
export interface ProvenAbsence {
  /** Id of the feed. */
  readonly feed_id: string
  /** `feed`: it is not registered. `value`: it has no value. */
  readonly absent: 'feed' | 'value'
  /** Height of the block. */
  readonly block_height: number
}

/** The ids of all feeds, as of the block. */
export interface ProvenFeeds {
  /** Ids in the order of registration. There are no others. */
  readonly feed_ids: readonly string[]
  /** Height of the block. */
  readonly block_height: number
}

/** All values of a feed, as of the block. */
export interface ProvenHistory {
  /** Id of the feed. */
  readonly feed_id: string
  /** The values, oldest first. There are no others. */
  readonly values: readonly Attestation[]
  /** Height of the block. */
  readonly block_height: number
}

/** What a dataset says about a series, as of an attestation of its root. */
export interface ProvenSeries {
  /** `value` or `newest`: the value is proven. `no_period` or `no_series`: there is none. */
  readonly statement: Statement
  /** The series, and the requested period; null for its newest. */
  readonly series: SeriesQuery
  /** EIA's text of the value's period; null if there is none. */
  readonly period: string | null
  /** The value as EIA sent it; null if EIA withholds it, or if there is none. */
  readonly value: string | null
  /** Its unit; null without one, and without a value. */
  readonly unit: string | null
  /** Index of the value's leaf in the tree; null if there is none. */
  readonly leaf_index: number | null
  /** Id of the feed that has the dataset's roots. */
  readonly feed_id: string
  /** Root of the dataset: 64 hex digits. */
  readonly root: string
  /** Number of values in the dataset. */
  readonly size: number
  /** Index of the attestation in the feed's history, from 0; null for the newest. */
  readonly index: number | null
  /** Block time of the attestation, in epoch milliseconds. */
  readonly attested_at: number
  /** Height of the block. */
  readonly block_height: number
}

/** All values of a range of a series, as of an attestation of the dataset's root. */
export interface ProvenRange {
  /** The series, and which of its values were requested. */
  readonly range: SeriesRange
  /** The values, oldest first. There are no others, if the attester of the root had sorted the dataset. */
  readonly values: readonly Pick<Leaf, 'period' | 'value' | 'unit'>[]
  /** Index of the first value's leaf in the tree; null without values. */
  readonly first_index: number | null
  /** Id of the feed that has the dataset's roots. */
  readonly feed_id: string
  /** Root of the dataset: 64 hex digits. */
  readonly root: string
  /** Number of values in the dataset. */
  readonly size: number
  /** Index of the attestation in the feed's history, from 0; null for the newest. */
  readonly index: number | null
  /** Block time of the attestation, in epoch milliseconds. */
  readonly attested_at: number
  /** Height of the block. */
  readonly block_height: number
}

/** Result of {@link verifyFeedProof}. */
export interface FeedProofCheck {
  /** The reading; null if a link failed, or if an absence, a list, a series or a range is proven. */
  readonly reading: Reading | null
  /** Present if the proof shows that the feed is not registered, or has no value. */
  readonly absence?: ProvenAbsence
  /** Present if the proof shows the ids of all feeds. */
  readonly feeds?: ProvenFeeds
  /** Present if the proof shows all values of a feed. */
  readonly history?: ProvenHistory
  /** Present if the proof shows what a dataset says about a series. */
  readonly series?: ProvenSeries
  /** Present if the proof shows all values of a range of a series. */
  readonly range?: ProvenRange
  /** Index of the proven value in the feed's history, from 0; absent for the newest value. */
  readonly index?: number
  /** Number of the feed's values at the block; absent in proofs of format 1. */
  readonly count?: number
  /**
   * Who may attest to the feed, with the keys of that account. Present if the proof was requested with it; null if the server could
   * not prove it.
   */
  readonly attester?: Attester | null
  /** The links in the order of the checks, up to the first that failed. */
  readonly links: readonly CheckedLink[]
}
