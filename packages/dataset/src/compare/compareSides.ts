import { defineError, encodeHex } from '@wattfeed/base'
import { compareBytes } from '../bytes.ts'
import { DatasetError } from '../errors.ts'
import { decodeKey, type Leaf, type LeafKey } from '../leaf.ts'
import { type AskedRange, askLeaves, askRanges, type KeyedLeaf } from './askSide.ts'
import { type KeyRange, TOP_LEVEL } from './keyRange.ts'
import type { Side } from './side.ts'

/** Two snapshots that differ in more leaves than may be compared. */
export const DifferenceTooLargeError = defineError(
  'DifferenceTooLargeError',
  'difference_too_large',
  (facts: {
    /** Of one of the two snapshots. */
    max: number
  }) =>
    `more than ${facts.max} leaves differ, and so many are compared at most; compare snapshots that are nearer`,
)
export type DifferenceTooLargeError = InstanceType<typeof DifferenceTooLargeError>

/** A key whose value or unit differs. A leaf is null if its snapshot does not have the key; at most one of them is. */
export interface LeafDifference {
  readonly key: LeafKey
  readonly own: Leaf | null
  readonly other: Leaf | null
}

/** What differs between two snapshots. */
export interface Comparison {
  /** Number of keys that both have, with another value or unit. */
  readonly changed: number
  /** Number of keys that only the own snapshot has. */
  readonly onlyOwn: number
  /** Number of keys that only the other has. */
  readonly onlyOther: number
  /** The first of them in the order of their keys, as many as asked for. */
  readonly first: readonly LeafDifference[]
}

/**
 * Compares two snapshots, from large ranges of leaves to small ones: asks both for the ranges of which what differed consists, and
 * in the end for the leaves that differ. Equal digests mean equal leaves, wherever they are.
 *
 * Each answer must follow from the ones before it, so each side names one list of leaves. Nothing proves that this list has the
 * side's root: who adopts leaves computes it.
 *
 * @param options - `maxListed`: how many differences are listed. `maxDiffering`: how many leaves or ranges of a side may differ, which
 * bounds memory, requests and bytes. @default 100,000
 * @throws {DatasetError} if a side's answer is wrong, or if only the roots differ.
 * @throws {DifferenceTooLargeError} if more differs.
 */
export async function compareSides(
  own: Side,
  other: Side,
  { maxListed, maxDiffering = 100_000 }: { readonly maxListed: number; readonly maxDiffering?: number },
): Promise<Comparison> {
  const [mine, theirs] =
    own.root === other.root ? [[], []] : await findDifferingLeaves(own, other, maxDiffering)
  const counts = { changed: 0, onlyOwn: 0, onlyOther: 0 }
  const first: LeafDifference[] = []
  for await (const each of inPairs(askLeaves(own, mine), askLeaves(other, theirs))) {
    counts[kindOf(each)] += 1
    if (first.length < maxListed) first.push(each)
  }
  assertWhole(own, other, counts)
  return { ...counts, first }
}

/** Asserts that the differences explain the other side's root and size. */
function assertWhole(
  own: Side,
  other: Side,
  { changed, onlyOwn, onlyOther }: Omit<Comparison, 'first'>,
): void {
  const fail = (rule: string) => new DatasetError({ what: other.name, rule })
  if (own.root !== other.root && changed + onlyOwn + onlyOther === 0)
    throw fail(`has another root than ${own.name}, but no leaf differs`)
  const size = own.size - onlyOwn + onlyOther
  if (other.size !== size) throw fail(`has ${other.size} leaves by its manifest, and ${size} by its ranges`)
}

const kindOf = ({ own, other }: LeafDifference) =>
  own === null ? 'onlyOther' : other === null ? 'onlyOwn' : 'changed'

/** Finds the leaves that only one side has, as ranges of level 0. */
async function findDifferingLeaves(
  own: Side,
  other: Side,
  maxDiffering: number,
): Promise<[mine: KeyRange[], theirs: KeyRange[]]> {
  const partsOf = async (level: number, mine: readonly AskedRange[], theirs: readonly AskedRange[]) => {
    const [ownParts, otherParts] = await Promise.all([
      askRanges(own, level, mine),
      askRanges(other, level, theirs),
    ])
    const found: [KeyRange[], KeyRange[]] = [without(ownParts, otherParts), without(otherParts, ownParts)]
    if (found.some(({ length }) => length > maxDiffering))
      throw new DifferenceTooLargeError({ max: maxDiffering })
    return found
  }
  let [mine, theirs] = await partsOf(TOP_LEVEL, [allOf(own)], [allOf(other)])
  for (let level = TOP_LEVEL - 1; level >= 0; level--) [mine, theirs] = await partsOf(level, mine, theirs)
  return [mine, theirs]
}

const allOf = ({ size }: Side): AskedRange => ({ first: 0, past: size, digest: null })

/** The ranges that are not among others. No range is twice in a snapshot, because each leaf has its key. */
function without(ranges: readonly KeyRange[], others: readonly KeyRange[]): KeyRange[] {
  const nameOf = ({ first, past, digest }: KeyRange) => `${past - first} ${encodeHex(digest)}`
  const known = new Set(others.map(nameOf))
  return ranges.filter((range) => !known.has(nameOf(range)))
}

/** Merges sorted leaves of two sides: pairs of one key, and those that only one side has. */
async function* inPairs(
  own: AsyncGenerator<KeyedLeaf>,
  other: AsyncGenerator<KeyedLeaf>,
): AsyncGenerator<LeafDifference> {
  const next = async (leaves: AsyncGenerator<KeyedLeaf>): Promise<KeyedLeaf | null> =>
    (await leaves.next()).value ?? null
  let [left, right] = [await next(own), await next(other)]
  for (;;) {
    const order: number = left === null ? 1 : right === null ? -1 : compareBytes(left.key, right.key)
    const smaller: KeyedLeaf | null = order > 0 ? right : left
    if (smaller === null) return
    const [ownLeaf, otherLeaf] = [order > 0 ? null : left, order < 0 ? null : right]
    yield { key: decodeKey(smaller.key), own: ownLeaf?.leaf ?? null, other: otherLeaf?.leaf ?? null }
    if (ownLeaf !== null) left = await next(own)
    if (otherLeaf !== null) right = await next(other)
  }
}
