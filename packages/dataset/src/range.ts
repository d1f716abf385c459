import { compareBytes } from './bytes.ts'
import { DatasetError } from './errors.ts'
import {
  type DatasetSeries,
  decodeLeaf,
  encodeKey,
  encodeLeaf,
  encodeSeries,
  isAlike,
  type Leaf,
} from './leaf.ts'
import { hashLeaf, rootOfRun } from './merkleTree.ts'
import type { SeriesRange } from './seriesRange.ts'
import { type AttestedTree, afterSeries, decodeHash, NOT_COVERED } from './statement.ts'

/** A leaf of a range: its period, value and unit. Without a unit, it has that of the leaf before it. */
export type RangeLeaf =
  | readonly [period: string, value: string | null]
  | readonly [period: string, value: string | null, unit: string | null]

/** All leaves of a range with their neighbors, and the hashes beside them, from which the root can be computed. */
export interface RangeEvidence {
  /** Index of the first leaf, or of the leaf before which it would be. */
  readonly index: number
  /** The bytes of the leaf before the range, which are JSON; null if the range is at the start of the tree. */
  readonly before: string | null
  /** All leaves of the range, oldest first. */
  readonly leaves: readonly RangeLeaf[]
  /** The bytes of the leaf after the range; null if the range is at the end of the tree. */
  readonly after: string | null
  /** The hashes of the nodes beside these leaves, from left to right, in hex. */
  readonly hashes: readonly string[]
}

/** A neighbor of a range. */
export interface Neighbor {
  readonly leaf: Leaf
  readonly key: Uint8Array
}

/** Leaves of a series that follow each other in a tree, with their neighbors there. */
export interface CheckedRun {
  /** Null if the run is at the start of the tree. */
  readonly before: Neighbor | null
  readonly leaves: readonly Leaf[]
  /** The keys of the leaves. */
  readonly keys: readonly Uint8Array[]
  /** Null if the run is at the end of the tree. */
  readonly after: Neighbor | null
}

/**
 * Checks that leaves are of a series and follow each other in the tree, with these neighbors. The root is computed from all of them
 * and from the hashes beside them.
 *
 * @throws {DatasetError} if it is not.
 */
export function checkRun(evidence: RangeEvidence, series: DatasetSeries, tree: AttestedTree): CheckedRun {
  const { index, hashes } = evidence
  const what = `the leaves from ${index} on`
  const fail = (rule: string) => new DatasetError({ what, rule })
  const before = neighborOf(evidence.before, 'the leaf before')
  const after = neighborOf(evidence.after, 'the leaf after')
  const leaves = leavesOf(evidence.leaves, series, fail)
  const bytes = leaves.map(encodeLeaf)
  for (const [offset, each] of bytes.entries()) decodeLeaf(each, `leaf ${index + offset}`)
  const keys = leaves.map(encodeKey)
  assertAscending([before?.key ?? [], keys, after?.key ?? []].flat(), fail)
  if ((before === null) !== (index === 0)) throw fail('the leaf before is missing, or there is none')
  if ((after === null) !== (index + leaves.length === tree.size))
    throw fail('the leaf after is missing, or there is none')
  const all = [before?.bytes ?? [], bytes, after?.bytes ?? []].flat()
  const first = index - (before === null ? 0 : 1)
  const beside = hashes.map((hash) => decodeHash(hash, what))
  const root = rootOfRun(first, all.map(hashLeaf), tree.size, beside)
  if (root === null || compareBytes(root, tree.root) !== 0)
    throw fail(`they and the hashes do not lead to the root of ${tree.size} leaves`)
  return { before, leaves, keys, after }
}

function neighborOf(text: string | null, what: string): (Neighbor & { bytes: Uint8Array }) | null {
  if (text === null) return null
  // Its bytes would be those of another text.
  if (!text.isWellFormed()) throw new DatasetError({ what, rule: 'has a lone surrogate' })
  const bytes = new TextEncoder().encode(text)
  const leaf = decodeLeaf(bytes, what)
  return { leaf, key: encodeKey(leaf), bytes }
}

/** Adds the series and the units that repeat. */
function leavesOf(
  leaves: readonly RangeLeaf[],
  { route, frequency, column, facets }: DatasetSeries,
  fail: (rule: string) => DatasetError,
): Leaf[] {
  let last: string | null | undefined
  return leaves.map(([period, value, unit = last]) => {
    if (unit === undefined) throw fail('the first has no unit')
    last = unit
    return { route, frequency, column, facets, period, value, unit }
  })
}

function assertAscending(keys: readonly Uint8Array[], fail: (rule: string) => DatasetError): void {
  const wrong = keys.findIndex((key, at) => compareBytes(keys[at - 1] ?? EMPTY, key) >= 0)
  if (wrong !== -1) throw fail('a key is not after the key of the leaf before it')
}

const EMPTY = new Uint8Array()

/** Whether a run has leaves of the column by the facets of a range, or one beside it. */
export const isCovered = ({ before, leaves, after }: CheckedRun, range: SeriesRange): boolean =>
  leaves.length > 0 || [before, after].some((each) => each !== null && isAlike(each.leaf, range))

/**
 * Checks that a run has exactly the leaves of a range. It does if the tree is sorted.
 *
 * @throws {DatasetError} if it does not, or if it is empty, and no neighbor has the column and the facets of the range.
 */
export function checkRange(run: CheckedRun, range: SeriesRange): void {
  checkBounds(run, range)
  if (!isCovered(run, range)) throw new DatasetError({ what: 'the range', rule: NOT_COVERED })
}

/** Checks the same, but not whether the snapshot has the column and the facets. */
export function checkBounds({ before, keys, after }: CheckedRun, range: SeriesRange): void {
  const fail = (rule: string) => new DatasetError({ what: 'the range', rule })
  const bounds = boundsOf(range)
  const { order, limit } = range
  if (limit !== null && keys.length > limit) throw fail(`has more than ${limit} values`)
  if (!keys.every((key) => isWithin(key, bounds))) throw fail('has a leaf outside of its bounds')
  // With as many values as the limit, there may be more of them on one side.
  const isFull = keys.length === limit
  const isOpen = (side: 'asc' | 'desc') => isFull && order === side
  if (before !== null && compareBytes(before.key, bounds.from) >= 0 && !isOpen('desc'))
    throw fail('the leaf before is not before its bounds')
  if (after !== null && compareBytes(after.key, bounds.to) <= 0 && !isOpen('asc'))
    throw fail('the leaf after is not after its bounds')
}

export interface Bounds {
  /** The smallest bytes that a key of the range may have. */
  readonly from: Uint8Array
  /** The largest. */
  readonly to: Uint8Array
}

/** Returns the bounds of a range. @throws {DatasetError} */
export function boundsOf(range: SeriesRange): Bounds {
  const { period_from: first, period_to: last } = range
  const prefix = encodeSeries(range)
  const from = first === null ? prefix : encodeKey({ ...range, period: first })
  const to = last === null ? afterSeries(prefix) : encodeKey({ ...range, period: last })
  if (compareBytes(from, to) > 0)
    throw new DatasetError({ what: 'the range', rule: 'its first period is after its last' })
  return { from, to }
}

/** Returns whether a key is within the bounds of a range. */
export const isWithin = (key: Uint8Array, { from, to }: Bounds): boolean =>
  compareBytes(key, from) >= 0 && compareBytes(key, to) <= 0
