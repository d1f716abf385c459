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

/** A run of leaves of a tree: at least one. */
export interface Run {
  /** Index of its first leaf. */
  readonly first: number
  /** Index after its last leaf. */
  readonly past: number
}

/** A node of a tree, by its leaves: from `start` to before `end`. */
interface Node {
  readonly start: number
  readonly end: number
}

/** Whether a tree of this size has such a run. */
const isRun = ({ first, past }: Run, size: number): boolean =>
  Number.isSafeInteger(first) && Number.isSafeInteger(past) && 0 <= first && first < past && past <= size

/** The nodes whose hashes are the path of a leaf: those beside its way to the root, from the leaf. */
export function nodesOfPath(index: number, size: number): Node[] {
  const pathIn = (start: number, end: number): Node[] => {
    if (end - start === 1) return []
    const middle = start + largestPowerBelow(end - start)
    return index < middle
      ? [...pathIn(start, middle), { start: middle, end }]
      : [...pathIn(middle, end), { start, end: middle }]
  }
  return pathIn(0, size)
}

/** The largest nodes of a tree that have no leaf of a run, from left to right. Together with the run, they are the whole tree. */
export function nodesBeside(run: Run, size: number): Node[] {
  const isBeside = ({ start, end }: Node) => end <= run.first || start >= run.past
  const isInside = ({ start, end }: Node) => run.first <= start && end <= run.past
  const besideIn = (node: Node): Node[] => {
    if (isBeside(node)) return [node]
    if (isInside(node)) return []
    const middle = node.start + largestPowerBelow(node.end - node.start)
    return [...besideIn({ start: node.start, end: middle }), ...besideIn({ start: middle, end: node.end })]
  }
  return besideIn({ start: 0, end: size })
}

/**
 * The root of a tree of this size, from the hashes of a run of its leaves, and those of {@link nodesBeside}. Null if the tree has no
 * such run, or if there are more or fewer of these hashes. Every node above a leaf of the run is computed from that leaf.
 */
export function rootOfRun(
  first: number,
  leafHashes: readonly Uint8Array[],
  size: number,
  beside: readonly Uint8Array[],
): Uint8Array | null {
  const run = { first, past: first + leafHashes.length }
  if (!isRun(run, size)) return null
  const left = beside.values()
  const hashIn = (start: number, end: number): Uint8Array | null => {
    if (end <= run.first || start >= run.past) return left.next().value ?? null
    if (end - start === 1) return leafHashes[start - run.first] ?? null
    const middle = start + largestPowerBelow(end - start)
    const one = hashIn(start, middle)
    const other = one && hashIn(middle, end)
    return other && hashNode(one, other)
  }
  const root = hashIn(0, size)
  return left.next().done ? root : null
}
