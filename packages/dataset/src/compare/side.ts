import { MAX_LEAF_BYTES } from '../leaf.ts'
import type { Run } from '../merkleTree.ts'
import { RANGE_BYTES } from './keyRange.ts'

/** How much is asked for at once, so that each request and each answer is small. */
export const sideLimits = {
  /** Ranges that a request for digests may name. */
  runs: 1_024,
  /** Leaves that these ranges may have at the levels 0 and 1, for which the other side reads the hashes of all of them. */
  hashes: 2 ** 20,
  /** Leaves that a request for leaves may name. */
  leaves: 1_024,
  /** Maximum size of an answer with digests, in bytes: twice what the parts of so many ranges have. */
  digestBytes: 32_768 * RANGE_BYTES,
  /** Maximum size of an answer with leaves, in bytes. */
  leafBytes: 1_024 * (2 + MAX_LEAF_BYTES),
} as const

/** A snapshot that is compared with another: files here, or a server that answers the same. Nothing proves what it says. */
export interface Side {
  /** What errors call it: `the earlier snapshot`. */
  readonly name: string
  /** 64 hex digits. */
  readonly root: string
  /** Number of leaves. */
  readonly size: number
  /**
   * Returns the ranges of a level that some larger ranges consist of, in their order: for each, the number of its leaves as a
   * big-endian `u32`, and its digest.
   *
   * @param level - from 4, the largest ranges, to 0, the leaves
   * @param runs - all leaves, or ranges of the next higher level, as this side has named them
   */
  digestsOf(level: number, runs: readonly Run[]): Promise<Uint8Array>
  /** Returns the bytes of leaves by their index, in its order, each after its length as a big-endian `u16`. */
  leavesOf(indices: readonly number[]): Promise<Uint8Array>
}
