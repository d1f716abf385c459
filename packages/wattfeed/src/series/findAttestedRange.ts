import { parseDatasetRecipe, type RangeAnswer, type SeriesRange } from '@wattfeed/dataset'
import type { ReadOptions } from '../client/reads.ts'
import type { Reading } from '../registry/reading.ts'
import type { ByRoot, RootAt, RootReads } from './datasetRoots.ts'
import { findAttested, type ReadRoot } from './findAttested.ts'
import { assertFits, assertPeriod } from './findAttestedSeries.ts'
import { SeriesQueryError } from './seriesQueryError.ts'

/** Maximum number of values of a range that are read at once. */
export const MAX_RANGE_VALUES = 5_000

/** A range, and the root that answers; null for the newest whose snapshot is at hand. */
export interface RangeQuery {
  readonly range: SeriesRange
  readonly at: RootAt | null
}

/**
 * Finds the values of a range; null if the dataset has no root. Without `at`, an earlier root answers while the snapshot of the newest is
 * not at hand, but not with an empty range: the newest root may have values of it.
 *
 * @throws {SeriesQueryError} if the range does not fit the dataset, or there is no such root.
 * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand, or if an earlier root has no value of the range.
 * @throws {RootNotFoundError} if there was no root at the time in `at`.
 * @throws {SnapshotGoneError} if the snapshot of the root in `at` is not at hand.
 * @throws {NotCoveredError} if the snapshot was made without the column or with other facets.
 * @throws {RangeTooLongError} if the range has too many values.
 * @throws {DatasetError} if the feed is not that of a dataset.
 */
export function findAttestedRange<Answer extends RangeAnswer>(
  reads: RootReads,
  query: RangeQuery,
  readRoot: ReadRoot<Answer>,
  options: ReadOptions = {},
): Promise<(Answer & ByRoot) | null> {
  const needsNewest = ({ leaves }: Answer) => leaves.length === 0
  return findAttested(reads, { ...askedOf(query, readRoot), needsNewest }, options)
}

/** As {@link findAttestedRange}, but an empty range by an earlier root is an answer, too. Only a proof may use it, because that names its attestation. */
export function findRangeEvidence<Answer extends RangeAnswer>(
  reads: RootReads,
  query: RangeQuery,
  readRoot: ReadRoot<Answer>,
  options: ReadOptions = {},
): Promise<(Answer & ByRoot) | null> {
  return findAttested(reads, { ...askedOf(query, readRoot), needsNewest: () => false }, options)
}

const askedOf = <Answer>({ range, at }: RangeQuery, readRoot: ReadRoot<Answer>) => ({
  ...{ series: range, at, readRoot },
  assertFits({ description }: Reading) {
    const recipe = parseDatasetRecipe(description)
    // Without a recipe, the rule of `datasetRootOf` says what is wrong.
    if (recipe !== null) assertFits(range, recipe)
    assertBounds(range)
  },
})

function assertBounds({ frequency, period_from: from, period_to: to }: SeriesRange): void {
  assertPeriod(frequency, 'period_from', from)
  assertPeriod(frequency, 'period_to', to)
  // The periods of a frequency are all written alike, so their texts are in the order of time.
  if (from !== null && to !== null && from > to)
    throw new SeriesQueryError({
      member: 'period_to',
      facet: null,
      rule: `it is before period_from, ${from}`,
    })
}
