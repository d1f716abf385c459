import { defineError, encodeHex } from '@wattfeed/base'
import { DatasetError } from './errors.ts'
import { decodeLeaf, formatSeries, type Leaf } from './leaf.ts'
import {
  boundsOf,
  checkBounds,
  checkRun,
  isCovered,
  isWithin,
  type Neighbor,
  type RangeEvidence,
  type RangeLeaf,
} from './range.ts'
import type { SeriesRange } from './seriesRange.ts'
import type { Snapshot } from './snapshot.ts'
import { type AttestedTree, assertOfTree } from './statement.ts'

/**
 * A range with more values than may be read at once.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { getSeriesRange, RangeTooLongError } from 'wattfeed/series'
 *
 * const series = { route: 'coal/mine-production', frequency: 'annual', column: 'production', facets: {} }
 * const files = 'https://example.com/datasets/eia.dataset.coal.mine-production.annual'
 * const page = await getSeriesRange(createClient(), series, { files }).catch((error) => {
 *   if (error instanceof RangeTooLongError) console.log(error.count, error.max)
 *   throw error
 * })
 * ```
 */
export const RangeTooLongError = defineError(
  'RangeTooLongError',
  'range_too_long',
  (facts: {
    /** Number of its values. */
    count: number
    max: number
  }) =>
    `the range has ${facts.count} values, and at most ${facts.max} are read at once; pass a limit, or nearer bounds`,
)
export type RangeTooLongError = InstanceType<typeof RangeTooLongError>

/** What a snapshot says about a range, with its evidence, which was checked. */
export interface RangeAnswer {
  readonly evidence: RangeEvidence
  /** All leaves of the range, oldest first. */
  readonly leaves: readonly Leaf[]
  /** The period of the next value in the order of the range, which the limit left out; null if there is none. */
  readonly next: string | null
  /** Whether the series has values, within the bounds or beside them. */
  readonly hasSeries: boolean
  /** Whether the snapshot has values of the column, by the same facets. Without one, no verifier accepts that there are none. */
  readonly isCovered: boolean
  /** EIA's text of the first period of any value, as the manifest states it, which nothing proves; null if it does not. */
  readonly coversFrom: string | null
}

/**
 * Reads all values of a range, and checks them against the attested root. So the files may come from anyone.
 *
 * @throws {DatasetError} if the snapshot is of another root or size, or a file of it is wrong.
 * @throws {RangeTooLongError} if there are more than `maxLeaves`.
 */
export async function readRange(
  snapshot: Snapshot,
  range: SeriesRange,
  tree: AttestedTree,
  maxLeaves: number,
): Promise<RangeAnswer> {
  assertOfTree(snapshot, tree)
  const evidence = await findRange(snapshot, range, maxLeaves)
  const run = checkRun(evidence, range, tree)
  checkBounds(run, range)
  const neighbor = range.order === 'asc' ? run.after : run.before
  const isNext = neighbor !== null && isWithin(neighbor.key, boundsOf(range))
  const name = formatSeries(range)
  const isOfSeries = (each: Neighbor | null) => each !== null && formatSeries(each.leaf) === name
  return {
    evidence,
    leaves: run.leaves,
    next: isNext ? neighbor.leaf.period : null,
    hasSeries: run.leaves.length > 0 || isOfSeries(run.before) || isOfSeries(run.after),
    isCovered: isCovered(run, range),
    coversFrom: snapshot.manifest.oldestPeriod,
  }
}

/** Finds the leaves of a range. @throws {DatasetError} if a file of the snapshot is wrong. @throws {RangeTooLongError} */
async function findRange(snapshot: Snapshot, range: SeriesRange, maxLeaves: number): Promise<RangeEvidence> {
  const { size } = snapshot.manifest
  const { order, limit } = range
  const { from, to } = boundsOf(range)
  const start = await snapshot.countBefore(from)
  const end = await snapshot.countBefore(Uint8Array.of(...to, 0))
  const count = Math.min(limit ?? Number.POSITIVE_INFINITY, end - start)
  // Bytes that are out of order are found in another place.
  if (count < 0) throw new DatasetError({ what: 'the snapshot', rule: 'its leaves are not sorted' })
  if (count > maxLeaves) throw new RangeTooLongError({ count, max: maxLeaves })
  const first = order === 'asc' ? start : end - count
  const past = first + count
  const shown = { first: Math.max(0, first - 1), past: Math.min(size, past + 1) }
  const { leaves, hashes } = await snapshot.proveRun(shown)
  const run = leaves.slice(first - shown.first, past - shown.first)
  const textAt = (at: number) => (at < 0 || at >= size ? null : textOf(leaves[at - shown.first]))
  return {
    index: first,
    before: textAt(first - 1),
    leaves: shortened(run.map((bytes, offset) => decodeLeaf(bytes, `leaf ${first + offset}`))),
    after: textAt(past),
    hashes: hashes.map((hash) => encodeHex(hash)),
  }
}

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** Leaves out the units that repeat. */
const shortened = (leaves: readonly Leaf[]): RangeLeaf[] =>
  leaves.map(({ period, value, unit }, at) =>
    unit === leaves[at - 1]?.unit ? [period, value] : [period, value, unit],
  )
