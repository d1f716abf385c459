import { decodeHex } from '@wattfeed/base'
import { DatasetError } from './errors.ts'
import type { DatasetSeries } from './leaf.ts'
import { isRoot } from './manifest.ts'
import { DATASET_UNIT, datasetFeedId, parseDatasetRecipe } from './recipe.ts'
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

/**
 * Returns the tree whose root a reading attests, if the reading is a root of the dataset that a series is of.
 *
 * @throws {DatasetError} if the reading is of another feed, its feed is not that of a dataset, or it lacks the column or other facets.
 */
export function datasetRootOf(reading: RootReading, series: DatasetSeries): AttestedTree {
  const { feed_id, unit, decimals, source, route, frequency, description, amount, source_hash } = reading
  const fail = (rule: string) => new DatasetError({ what: `the reading of ${feed_id}`, rule })
  const feedId = datasetFeedId(series.route, series.frequency)
  if (feed_id !== feedId) throw fail(`is not of ${feedId}`)
  // Ids are in capitals, and anyone may register one, so the id alone proves no route.
  if (route !== series.route || frequency !== series.frequency)
    throw fail(`is of the route ${route} and the frequency ${frequency}`)
  if (unit !== DATASET_UNIT || decimals !== 0 || source !== 'EIA')
    throw fail(`has the unit ${unit}, ${decimals} decimals and the source ${source}, not those of a root`)
  const recipe = parseDatasetRecipe(description)
  if (recipe === null) throw fail('has no recipe of a dataset at the end of its description')
  if (!recipe.columns.includes(series.column))
    throw fail(`has the columns ${recipe.columns.join(', ')}, not ${series.column}`)
  const ids = Object.keys(series.facets)
  if (ids.length !== recipe.facets.length || !recipe.facets.every((id) => ids.includes(id)))
    throw fail(`has the facets ${recipe.facets.join(', ')}, not ${ids.join(', ')}`)
  if (amount < 1n || amount > BigInt(Number.MAX_SAFE_INTEGER)) throw fail('has no number of leaves')
  if (!isRoot(source_hash)) throw fail('has no root')
  return { root: decodeHex(source_hash, feed_id), size: Number(amount) }
}
