import {
  type AttestedTree,
  type DatasetRecipe,
  type DatasetSeries,
  datasetRootOf,
  parseDatasetRecipe,
  type SeriesAnswer,
  type SeriesQuery,
} from '@wattfeed/dataset'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import type { ReadOptions } from '../client/reads.ts'
import type { Reading } from '../registry/reading.ts'
import { type ByRoot, isByNewestRoot, type RootReads, readByRoot, readNewestRoot } from './datasetRoots.ts'
import { SeriesQueryError } from './seriesQueryError.ts'
import { SnapshotMissingError } from './snapshotMissingError.ts'

/** Reads what the snapshot of a root says; null if the snapshot is not at hand. */
export type ReadRoot<Answer> = (reading: Reading, tree: AttestedTree) => Promise<Answer | null>

/**
 * Finds what a dataset says about a series now, by the newest root whose snapshot is at hand; null if it has no root. A value of an
 * earlier root is an answer, which names that root. An absence is none: the newest root may have the value.
 *
 * @throws {SeriesQueryError} if the query does not fit the dataset.
 * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand, or if an earlier root has no such value.
 * @throws {DatasetError} if the feed is not that of a dataset.
 */
export async function findAttestedSeries<Answer extends SeriesAnswer>(
  reads: RootReads,
  query: SeriesQuery,
  readRoot: ReadRoot<Answer>,
  options: ReadOptions = {},
): Promise<(Answer & ByRoot) | null> {
  const found = await findAttestedEvidence(reads, query, readRoot, options)
  if (found === null || found.leaf !== null || isByNewestRoot(found)) return found
  throw new SnapshotMissingError(found.reading.feed_id, found.newestRoot)
}

/**
 * As {@link findAttestedSeries}, but an absence by an earlier root is an answer, too. Only a proof may use it, because that names its
 * attestation.
 */
export async function findAttestedEvidence<Answer extends SeriesAnswer>(
  reads: RootReads,
  query: SeriesQuery,
  readRoot: ReadRoot<Answer>,
  options: ReadOptions = {},
): Promise<(Answer & ByRoot) | null> {
  const newest = await readNewestRoot(reads, query, options)
  if (newest === null) return null
  const recipe = parseDatasetRecipe(newest.description)
  // Without a recipe, the rule of `datasetRootOf` says what is wrong.
  if (recipe !== null) {
    assertFits(query, recipe)
    assertPeriod(query.frequency, 'period', query.period)
  }
  const readBy = (reading: Reading) => readRoot(reading, datasetRootOf(reading, query))
  const { found, ...byRoot } = await readByRoot(reads, newest, readBy, options)
  return { ...found, ...byRoot }
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
