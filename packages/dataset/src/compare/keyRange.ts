import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { HASH_BYTES, type Run } from '../merkleTree.ts'

/**
 * Leaves of a snapshot that follow each other in the order of their keys, with a digest over them.
 *
 * A range of level N starts at a leaf whose hash ends with N zero hex digits, and has about 16^N leaves. Their index does not matter,
 * so an inserted leaf changes only the ranges that hold it. The hashes are in the tiles, so no leaf is read.
 *
 * The digest is the SHA-256 of the digests of its ranges of level N - 1. Level 0 is the leaves themselves, with their hashes of the tree.
 */
export interface KeyRange extends Run {
  readonly digest: Uint8Array
}

/** The level of the largest ranges: about 65,536 leaves. */
export const TOP_LEVEL = 4

/** Size of a range in an answer, in bytes: the number of its leaves as a big-endian `u32`, and its digest. */
export const RANGE_BYTES = 4 + HASH_BYTES

/** The highest level at which a leaf with this hash starts a range. */
function levelOf(leafHash: Uint8Array): number {
  let level = 0
  while (level < TOP_LEVEL && digitFromEnd(leafHash, level) === 0) level++
  return level
}

const digitFromEnd = (hash: Uint8Array, at: number): number =>
  ((hash.at(-1 - Math.floor(at / 2)) ?? 0) >> (4 * (at % 2))) & 0xf

export const digestOf = (digests: readonly Uint8Array[]): Uint8Array => sha256(concatBytes(...digests))

/** Divides leaves that follow each other into ranges of all levels from 1 on. Holds about 16 digests of each level in memory. */
export class RangeBuilder {
  readonly #emit: (level: number, range: KeyRange) => void
  /** The range of each level that has not ended, from level 1 on: its first leaf, and the digests below. */
  readonly #open: { first: number; below: Uint8Array[] }[]
  #past: number

  /**
   * @param first - index of the first leaf
   * @param emit - called for each range when it ends
   */
  constructor(first: number, emit: (level: number, range: KeyRange) => void) {
    this.#emit = emit
    this.#past = first
    this.#open = Array.from({ length: TOP_LEVEL }, () => ({ first, below: [] }))
  }

  /** Adds the hash of the next leaf. */
  add(leafHash: Uint8Array): void {
    this.#close(levelOf(leafHash))
    this.#open[0]?.below.push(leafHash)
    this.#past += 1
  }

  /** Ends all ranges. */
  end(): void {
    this.#close(TOP_LEVEL)
  }

  /** Ends the ranges up to a level. */
  #close(highest: number): void {
    for (const [at, range] of this.#open.slice(0, highest).entries()) {
      if (range.below.length === 0) continue
      const digest = digestOf(range.below)
      this.#emit(at + 1, { first: range.first, past: this.#past, digest })
      this.#open[at + 1]?.below.push(digest)
      range.first = this.#past
      range.below = []
    }
  }
}

/** Returns the bytes of ranges in an answer. */
export function encodeRanges(ranges: readonly KeyRange[]): Uint8Array {
  const bytes = new Uint8Array(ranges.length * RANGE_BYTES)
  const view = new DataView(bytes.buffer)
  for (const [at, { first, past, digest }] of ranges.entries()) {
    view.setUint32(at * RANGE_BYTES, past - first)
    bytes.set(digest, at * RANGE_BYTES + 4)
  }
  return bytes
}

/** Lists the number of leaves and the digest of each range of an answer. */
export function decodeRanges(bytes: Uint8Array): { readonly count: number; readonly digest: Uint8Array }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / RANGE_BYTES }, (_, at) => ({
    count: view.getUint32(at * RANGE_BYTES),
    digest: bytes.subarray(at * RANGE_BYTES + 4, (at + 1) * RANGE_BYTES),
  }))
}
