import { attestedRootOf, DatasetError, type DatasetRecipe, isDatasetFeedId } from '@wattfeed/dataset'
import { formatPeriod } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import type { Reading } from 'wattfeed'
import type { AttestedDatasetBody, AttestedDatasetsBody } from '../../api/schemas.ts'
import { createObjectMemo } from '../http/memo.ts'

/** A dataset by the newest root on chain. */
export interface AttestedDataset {
  readonly reading: Reading
  readonly recipe: DatasetRecipe
  /** EIA's title; null if the catalog does not have the dataset. */
  readonly name: string | null
}

/** Lists the datasets of which readings attest a root, by their ids. The client returns the same readings until something changes. */
export const attestedDatasets = createObjectMemo((readings: readonly Reading[]): readonly AttestedDataset[] =>
  readings
    .flatMap((reading) => {
      const recipe = attestedRecipeOf(reading)
      return recipe === null ? [] : [{ reading, recipe, name: findDataset(reading.route)?.name ?? null }]
    })
    // Their feeds may be registered in any order.
    .sort((a, b) => (a.reading.feed_id < b.reading.feed_id ? -1 : 1)),
)

/** Returns the recipe of the dataset of which a reading attests a root; null for any other reading. Anyone can write a recipe. */
function attestedRecipeOf(reading: Reading): DatasetRecipe | null {
  if (!isDatasetFeedId(reading.feed_id)) return null
  try {
    return attestedRootOf(reading, reading).recipe
  } catch (error) {
    if (error instanceof DatasetError) return null
    throw error
  }
}

const bodyOf = ({ reading, recipe, name }: AttestedDataset): AttestedDatasetBody => ({
  route: reading.route,
  frequency: reading.frequency,
  name,
  columns: [...recipe.columns],
  facets: [...recipe.facets],
  periods: recipe.periods,
  size: Number(reading.amount),
  newest_period: formatPeriod(reading.frequency, reading.period),
  feed_id: reading.feed_id,
  root: reading.source_hash,
  attested_at: reading.updated_at,
})

/** Returns the body of `GET /v1/datasets/attested`. */
export const attestedDatasetsBodyOf = createObjectMemo(
  (datasets: readonly AttestedDataset[]): AttestedDatasetsBody => ({
    total: datasets.length,
    datasets: datasets.map(bodyOf),
  }),
)
