import { type AttestedTree, type DatasetSeries, datasetRootOf } from '@wattfeed/dataset'
import type { ReadOptions } from '../client/reads.ts'
import type { Reading } from '../registry/reading.ts'
import {
  type ByRoot,
  isByNewestRoot,
  type RootAt,
  type RootReads,
  readByRoot,
  readNewestRoot,
} from './datasetRoots.ts'
import { NotCoveredError } from './notCoveredError.ts'
import { SnapshotMissingError } from './snapshotMissingError.ts'

/** Reads what the snapshot of a root says; null if the snapshot is not at hand. */
export type ReadRoot<Answer> = (reading: Reading, tree: AttestedTree) => Promise<Answer | null>

/** What is read from a dataset. */
interface Asked<Answer> {
  readonly series: DatasetSeries
  /** The root that answers; null for the newest whose snapshot is at hand. */
  readonly at: RootAt | null
  readonly readRoot: ReadRoot<Answer>
  /** Checks that the dataset can have it, by its newest reading. @throws {SeriesQueryError} */
  assertFits(newest: Reading): void
  /** Whether the newest root could say otherwise than an earlier one that answers for it. */
  needsNewest(answer: Answer): boolean
}

/**
 * Finds what a dataset says; null if it has no root.
 *
 * @throws {SeriesQueryError} if it does not fit the dataset, or there is no such root.
 * @throws {RootNotFoundError} if there was no root at the time in `at`.
 * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand, or if an answer needs the newest.
 * @throws {SnapshotGoneError} if the snapshot of the root in `at` is not at hand.
 * @throws {NotCoveredError} if the snapshot was made without the column or with other facets.
 * @throws {DatasetError} if the feed is not that of a dataset.
 */
export async function findAttested<Answer extends { readonly isCovered: boolean }>(
  reads: RootReads,
  { series, at, readRoot, assertFits, needsNewest }: Asked<Answer>,
  options: ReadOptions,
): Promise<(Answer & ByRoot) | null> {
  const newest = await readNewestRoot(reads, series, options)
  if (newest === null) return null
  assertFits(newest)
  const readBy = (reading: Reading) => readRoot(reading, datasetRootOf(reading, series))
  const { found, ...byRoot } = await readByRoot(reads, newest, at, readBy, options)
  const { reading, index, newestRoot } = byRoot
  if (at === null && !isByNewestRoot(byRoot) && needsNewest(found))
    throw new SnapshotMissingError(reading.feed_id, newestRoot)
  if (!found.isCovered) throw new NotCoveredError(reading.feed_id, reading.source_hash, index, series)
  return { ...found, ...byRoot }
}
