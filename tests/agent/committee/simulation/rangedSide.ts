import { hash } from 'node:crypto'
import { concatBytes } from '@noble/hashes/utils.js'
import { DatasetError, type Run } from '@wattfeed/dataset'
import { type Side, sideLimits } from '@wattfeed/dataset/compare'
import { joinEntries } from '../../../../packages/dataset/src/bytes.ts'
import {
  encodeRanges,
  type KeyRange,
  RANGE_BYTES,
  TOP_LEVEL,
} from '../../../../packages/dataset/src/compare/keyRange.ts'

export interface EncodedLeaf {
  readonly bytes: Uint8Array
  readonly hash: Uint8Array
  /** {@link levelOf} its hash. */
  readonly level: number
}

/** The ranges of a level. */
interface Level {
  readonly ranges: readonly KeyRange[]
  /** As an answer has them. */
  readonly bytes: Uint8Array
  /** The index of each range by its first leaf, and of the next one by its last. Null at level 0, where the leaf is the index. */
  readonly starts: ReadonlyMap<number, number> | null
  readonly ends: ReadonlyMap<number, number> | null
}

/**
 * Answers what `sideOfFiles` answers for the same leaves, at a fiftieth of its time: it hashes natively, and has the ranges of all levels in
 * memory.
 */
export function createRangedSide(leaves: readonly EncodedLeaf[]): Pick<Side, 'digestsOf' | 'leavesOf'> {
  const levels: Level[] = []
  for (let level = 0; level <= TOP_LEVEL; level++)
    levels.push(levelAbove(levels.at(-1)?.ranges, leaves, level))
  return {
    async digestsOf(level, runs) {
      const found = levels[level]
      if (found === undefined || runs.length > sideLimits.runs) throw requestFault(`names level ${level}`)
      return concatBytes(...runs.map((run) => bytesWithin(found, run)))
    },
    async leavesOf(indices) {
      if (indices.length > sideLimits.leaves) throw requestFault(`names ${indices.length} leaves`)
      return joinEntries(
        indices.map((index) => {
          const leaf = leaves[index]
          if (leaf === undefined) throw requestFault(`names leaf ${index} of ${leaves.length}`)
          return leaf.bytes
        }),
      )
    },
  }
}

const requestFault = (rule: string) => new DatasetError({ what: 'the request', rule })

function levelAbove(
  below: readonly KeyRange[] | undefined,
  leaves: readonly EncodedLeaf[],
  level: number,
): Level {
  if (below === undefined) {
    const ranges = leaves.map((leaf, first) => ({ first, past: first + 1, digest: leaf.hash }))
    return { ranges, bytes: encodeRanges(ranges), starts: null, ends: null }
  }
  const ranges = joinRanges(below, leaves, level)
  return {
    ranges,
    bytes: encodeRanges(ranges),
    starts: new Map(ranges.map(({ first }, at) => [first, at])),
    ends: new Map(ranges.map(({ past }, at) => [past, at + 1])),
  }
}

/** Joins ranges to those of the next level. Each starts at a leaf whose hash ends with enough zeros. */
function joinRanges(below: readonly KeyRange[], leaves: readonly EncodedLeaf[], level: number): KeyRange[] {
  const ranges: KeyRange[] = []
  let parts: KeyRange[] = []
  const end = () => {
    const [first, last] = [parts[0], parts.at(-1)]
    if (first === undefined || last === undefined) return
    const digest = hash('sha256', Buffer.concat(parts.map((part) => part.digest)), 'buffer')
    ranges.push({ first: first.first, past: last.past, digest })
    parts = []
  }
  for (const range of below) {
    if ((leaves[range.first]?.level ?? 0) >= level) end()
    parts.push(range)
  }
  end()
  return ranges
}

/** Returns the highest level of which a leaf with this hash starts a range. */
export function levelOf(leafHash: Uint8Array): number {
  const tail = Buffer.from(leafHash.subarray(-3)).toString('hex')
  return Math.min(TOP_LEVEL, tail.length - tail.replace(/0+$/, '').length)
}

function bytesWithin({ bytes, starts, ends }: Level, { first, past }: Run): Uint8Array {
  const start = starts === null ? first : starts.get(first)
  const end = ends === null ? past : ends.get(past)
  if (start === undefined || end === undefined || start >= end)
    throw requestFault(`names the range from ${first} to ${past}, which the snapshot does not have`)
  return bytes.subarray(start * RANGE_BYTES, end * RANGE_BYTES)
}
