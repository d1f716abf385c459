import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** Number of bytes of a hash. */
export const HASH_BYTES = 32

/** The hash of a leaf, by RFC 6962, section 2.1. */
export const hashLeaf = (leaf: Uint8Array): Uint8Array => sha256(concatBytes(LEAF, leaf))

/** The hash of a node, by RFC 6962, section 2.1. */
export const hashNode = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(concatBytes(NODE, left, right))

/** The root of a tree of these leaf hashes, or of these roots of complete subtrees of one size. There is at least one. */
export function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  const [first] = hashes
  if (first === undefined) throw new RangeError('a tree has at least one leaf')
  if (hashes.length === 1) return first
  const left = largestPowerBelow(hashes.length)
  return hashNode(rootOf(hashes.slice(0, left)), rootOf(hashes.slice(left)))
}

/** The largest power of two that is smaller than a size of at least 2. */
export function largestPowerBelow(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

/**
 * Whether a leaf is at this index of a tree with this size and root, by RFC 9162, section 2.1.3.2.
 *
 * @param path - the hashes beside the leaf's way to the root, from the leaf
 */
export function isIncluded(
  leafHash: Uint8Array,
  place: { readonly index: number; readonly size: number },
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!Number.isSafeInteger(place.index) || place.index < 0 || place.index >= place.size) return false
  let index = place.index
  let last = place.size - 1
  let hash = leafHash
  for (const sibling of path) {
    if (last === 0) return false
    if (index % 2 === 1 || index === last) {
      hash = hashNode(sibling, hash)
      while (index % 2 === 0 && index !== 0) {
        index /= 2
        last = Math.floor(last / 2)
      }
    } else hash = hashNode(hash, sibling)
    index = Math.floor(index / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && hash.length === root.length && hash.every((byte, at) => byte === root[at])
}
