import { decodeHex } from '@wattfeed/base'
import { DatasetError } from './errors.ts'
import type { DatasetSeries } from './leaf.ts'
import { isRoot } from './manifest.ts'
import { DATASET_UNIT, type DatasetRecipe, datasetFeedId, parseDatasetRecipe } from './recipe.ts'
import type { AttestedTree } from './statement.ts'

/** What a reading says about a dataset's root. A reading of the library has these members, among others. */
export interface RootReading {
  readonly feed_id: string
  readonly unit: string
  readonly decimals: number
  readonly source: string
  readonly route: string
  readonly frequency: string
  readonly description: string
  readonly amount: bigint
  readonly source_hash: string
}

/** A root that a reading attests. */
export interface AttestedRoot {
  readonly tree: AttestedTree
  readonly recipe: DatasetRecipe
}

/**
 * Returns the root of a dataset that a reading attests, and how its snapshot was made.
 *
 * @throws {DatasetError} if the reading is of another feed or dataset, or holds no root.
 */
export function attestedRootOf(
  reading: RootReading,
  dataset: Pick<DatasetSeries, 'route' | 'frequency'>,
): AttestedRoot {
  const { feed_id, unit, decimals, source, route, frequency, description, amount, source_hash } = reading
  const feedId = datasetFeedId(dataset.route, dataset.frequency)
  if (feed_id !== feedId) throw failure(reading, `is not of ${feedId}`)
  // Ids are in capitals, and anyone may register one, so the id alone proves no route.
  if (route !== dataset.route || frequency !== dataset.frequency)
    throw failure(reading, `is of the route ${route} and the frequency ${frequency}`)
  if (unit !== DATASET_UNIT || decimals !== 0 || source !== 'EIA')
    throw failure(
      reading,
      `has the unit ${unit}, ${decimals} decimals and the source ${source}, not those of a root`,
    )
  const recipe = parseDatasetRecipe(description)
  if (recipe === null) throw failure(reading, 'has no recipe of a dataset at the end of its description')
  if (amount < 1n || amount > BigInt(Number.MAX_SAFE_INTEGER))
    throw failure(reading, 'has no number of leaves')
  if (!isRoot(source_hash)) throw failure(reading, 'has no root')
  return { tree: { root: decodeHex(source_hash, feed_id), size: Number(amount) }, recipe }
}

/**
 * Returns the tree whose root a reading attests, if the reading is a root of the dataset that a series is of.
 *
 * @throws {DatasetError} if the reading is of another feed or dataset, lacks the column, has different facets, or holds no root.
 */
export function datasetRootOf(reading: RootReading, series: DatasetSeries): AttestedTree {
  const { tree, recipe } = attestedRootOf(reading, series)
  if (!recipe.columns.includes(series.column))
    throw failure(reading, `has the columns ${recipe.columns.join(', ')}, not ${series.column}`)
  const ids = Object.keys(series.facets)
  if (ids.length !== recipe.facets.length || !recipe.facets.every((id) => ids.includes(id)))
    throw failure(reading, `has the facets ${recipe.facets.join(', ')}, not ${ids.join(', ')}`)
  return tree
}

const failure = ({ feed_id }: RootReading, rule: string): DatasetError =>
  new DatasetError({ what: `the reading of ${feed_id}`, rule })
