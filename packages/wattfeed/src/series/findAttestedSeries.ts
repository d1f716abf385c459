import {
  type DatasetRecipe,
  type DatasetSeries,
  parseDatasetRecipe,
  type SeriesAnswer,
  type SeriesQuery,
} from '@wattfeed/dataset'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import type { ReadOptions } from '../client/reads.ts'
import type { Reading } from '../registry/reading.ts'
import type { ByRoot, RootAt, RootReads } from './datasetRoots.ts'
import { findAttested, type ReadRoot } from './findAttested.ts'
import { SeriesQueryError } from './seriesQueryError.ts'

/** A series, and the root that answers; null for the newest whose snapshot is at hand. */
export interface SeriesAt {
  readonly series: SeriesQuery
  readonly at: RootAt | null
}

/**
 * Finds what a dataset says about a series; null if it has no root. Without `at`, an earlier root answers while the snapshot of the newest
 * is not at hand, but not with an absence: the newest root may have the value.
 *
 * @throws {SeriesQueryError} if the series does not fit the dataset, or there is no such root.
 * @throws {RootNotFoundError} if there was no root at the time in `at`.
 * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand, or if an earlier root has no such value.
 * @throws {SnapshotGoneError} if the snapshot of the root in `at` is not at hand.
 * @throws {NotCoveredError} if the snapshot was made without the column or with other facets.
 * @throws {DatasetError} if the feed is not that of a dataset.
 */
export function findAttestedSeries<Answer extends SeriesAnswer>(
  reads: RootReads,
  asked: SeriesAt,
  readRoot: ReadRoot<Answer>,
  options: ReadOptions = {},
): Promise<(Answer & ByRoot) | null> {
  return findAttested(
    reads,
    { ...askedOf(asked, readRoot), needsNewest: ({ leaf }) => leaf === null },
    options,
  )
}

/**
 * As {@link findAttestedSeries}, but an absence by an earlier root is an answer, too. Only a proof may use it, because that names its
 * attestation.
 */
export function findAttestedEvidence<Answer extends SeriesAnswer>(
  reads: RootReads,
  asked: SeriesAt,
  readRoot: ReadRoot<Answer>,
  options: ReadOptions = {},
): Promise<(Answer & ByRoot) | null> {
  return findAttested(reads, { ...askedOf(asked, readRoot), needsNewest: () => false }, options)
}

const askedOf = <Answer>({ series, at }: SeriesAt, readRoot: ReadRoot<Answer>) => ({
  ...{ series, at, readRoot },
  assertFits: (newest: Reading) => assertSeries(series, newest),
})

/** Checks that a dataset can have a series and its period. @throws {SeriesQueryError} */
export function assertSeries(query: SeriesQuery, { description }: Pick<Reading, 'description'>): void {
  const recipe = parseDatasetRecipe(description)
  // Without a recipe, the rule of `datasetRootOf` says what is wrong.
  if (recipe === null) return
  assertFits(query, recipe)
  assertPeriod(query.frequency, 'period', query.period)
}

/** Says which facets a dataset has. */
export const describeFacets = (route: string, known: readonly string[]): string =>
  known.length === 0 ? `${route} has no facets` : `the facets of ${route} are ${known.join(', ')}`

/** Checks that a dataset can have a series. Another spelling would be absent, and look as if EIA had no value. */
export function assertFits({ route, column, facets }: DatasetSeries, recipe: DatasetRecipe): void {
  const fail = (member: SeriesQueryError['member'], rule: string, facet: string | null = null) =>
    new SeriesQueryError({ member, facet, rule })
  if (!recipe.columns.includes(column))
    throw fail('column', `the columns of ${route} are ${recipe.columns.join(', ')}`)
  const all = describeFacets(route, recipe.facets)
  const unknown = Object.keys(facets).find((id) => !recipe.facets.includes(id))
  if (unknown !== undefined) throw fail('facets', `there is no such facet; ${all}`, unknown)
  const missing = recipe.facets.filter((id) => !Object.hasOwn(facets, id))
  if (missing.length > 0) throw fail('facets', `missing facets: ${missing.join(', ')}; ${all}`)
}

/** Checks that a period is written as those of a frequency. @throws {SeriesQueryError} */
export function assertPeriod(
  frequency: string,
  member: 'period' | 'period_from' | 'period_to',
  period: string | null,
): void {
  if (period === null) return
  try {
    encodePeriod(frequency, period)
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    const rule = `a ${frequency} period must be ${error.rule}`
    throw new SeriesQueryError({ member, facet: null, rule })
  }
}
