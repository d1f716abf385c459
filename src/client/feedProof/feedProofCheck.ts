import type { Reading } from '../../registry/reading.ts'

/** What a proof is checked against, from sources that the user trusts. */
export interface FeedProofTrust {
  /** The hash of a switch block: 64 hex digits. */
  trustedBlockHash: string
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  /** 64 hex digits. */
  attestationRegistryPackageHash: string
  /** The feed that was asked for. @default any */
  feedId?: string
  /** The place in the feed's history that was asked for; null for the newest value. @default any */
  index?: number | null
  /**
   * Maximum age of the proof's block, in milliseconds. If set, the block may not be more than a minute ahead either.
   * @default no limit: an old proof is a proof of what was true then
   */
  maxAgeMs?: number
  /**
   * Epoch milliseconds.
   * @default Date.now
   */
  now?: () => number
}

/** One link of the chain from the trusted block to the reading, and whether it holds. */
export interface CheckedLink {
  /** What was checked: `finality signatures of block 903`. */
  readonly link: string
  readonly holds: boolean
  /** What was found, or which rule broke. */
  readonly detail: string
}

/** The result of checking a proof: links in the order they were checked, up to the first that breaks. */
export interface FeedProofCheck {
  /** The reading if every link holds, else null. */
  readonly reading: Reading | null
  /** Place of the proven value in the feed's history, from 0; absent for the newest. */
  readonly index?: number
  readonly links: readonly CheckedLink[]
}
