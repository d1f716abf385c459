import { encodeHex } from '@wattfeed/base'
import { encodeLeaf, hashLeaf, type Leaf, nodesBeside, rootOf } from '@wattfeed/dataset'

/** A tree of leaves in memory, in the order in which they are given. */
export interface MemoryTree {
  readonly leaves: readonly Leaf[]
  readonly root: string
  readonly size: number
  /** Integer of the newest period, as attested. */
  readonly period: number
  /** The hashes beside leaves that follow each other, from left to right. */
  hashesBeside(first: number, past: number): string[]
}

export function createMemoryTree(leaves: readonly Leaf[], period: number): MemoryTree {
  const levels = [leaves.map((leaf) => hashLeaf(encodeLeaf(leaf)))]
  for (let below = levels[0] ?? []; below.length > 1; levels.push(below))
    below = Array.from({ length: Math.ceil(below.length / 2) }, (_, at) =>
      rootOf(below.slice(2 * at, 2 * at + 2)),
    )
  const hashOf = (start: number, end: number): string => {
    const level = Math.ceil(Math.log2(end - start))
    return encodeHex(levels[level]?.[start / 2 ** level] ?? new Uint8Array())
  }
  const size = leaves.length
  return {
    leaves,
    root: hashOf(0, size),
    size,
    period,
    hashesBeside: (first, past) =>
      nodesBeside({ first, past }, size).map(({ start, end }) => hashOf(start, end)),
  }
}
