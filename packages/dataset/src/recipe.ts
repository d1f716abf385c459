/** How the snapshots of a dataset are made. It is on chain, as the last line of the feed's description. */
export interface DatasetRecipe {
  /** Ids of the columns, sorted. */
  readonly columns: readonly string[]
  /** How many of the newest periods a snapshot has; null for all. */
  readonly periods: number | null
  /** Ids of every facet of the dataset, sorted. */
  readonly facets: readonly string[]
}

/** The version of the leaf's bytes and of the tree, in the recipe and the manifest. */
export const LEAF_VERSION = 1

const PREFIX = 'eia-dataset:'
const ID = /^[A-Za-z0-9_-]+$/

/** The unit of a feed whose values are roots of a dataset: its amount is the number of leaves. */
export const DATASET_UNIT = 'values'

const FEED_PREFIX = 'EIA.DATASET.'

/**
 * Returns the id of the feed that has a dataset's roots: `EIA.DATASET.NATURAL-GAS.STOR.WKLY.WEEKLY`. Only `a` to `z` become
 * capitals, so that it is the same everywhere.
 *
 * @example
 * ```ts
 * import { datasetFeedId } from '@wattfeed/dataset'
 *
 * datasetFeedId('natural-gas/stor/wkly', 'weekly') // 'EIA.DATASET.NATURAL-GAS.STOR.WKLY.WEEKLY'
 * ```
 */
export const datasetFeedId = (route: string, frequency: string): string =>
  `${FEED_PREFIX}${route.replaceAll('/', '.')}.${frequency}`.replace(/[a-z]/g, (letter) =>
    letter.toUpperCase(),
  )

/** Returns whether only the feed of a dataset's roots can have this id. Unlike a description, an id never changes. */
export const isDatasetFeedId = (feedId: string): boolean => feedId.startsWith(FEED_PREFIX)

/** Formats a recipe: `eia-dataset:1;<columns>;<periods or all>;<facets>`, with commas between ids. */
export const formatDatasetRecipe = ({ columns, periods, facets }: DatasetRecipe): string =>
  `${PREFIX}${LEAF_VERSION};${sorted(columns).join(',')};${periods ?? 'all'};${sorted(facets).join(',')}`

/** Parses the recipe on a description's last line; null unless it is exactly as {@link formatDatasetRecipe} writes it. */
export function parseDatasetRecipe(description: string): DatasetRecipe | null {
  const line = description.slice(description.lastIndexOf('\n') + 1)
  if (!line.startsWith(PREFIX)) return null
  const [, columns = '', periods = '', facets = ''] = line.slice(PREFIX.length).split(';')
  const recipe = {
    columns: columns.split(','),
    periods: periods === 'all' ? null : Number(periods),
    facets: facets === '' ? [] : facets.split(','),
  }
  const isCount = recipe.periods === null || (Number.isSafeInteger(recipe.periods) && recipe.periods > 0)
  const isValid = isCount && [...recipe.columns, ...recipe.facets].every((id) => ID.test(id))
  return isValid && formatDatasetRecipe(recipe) === line ? recipe : null
}

/** Returns a description without its dataset's recipe, for people. */
export const withoutDatasetRecipe = (description: string): string =>
  parseDatasetRecipe(description) === null
    ? description
    : description.slice(0, Math.max(0, description.lastIndexOf('\n')))

/** Sorts ids, each once. They are ASCII. */
const sorted = (ids: readonly string[]): string[] => [...new Set(ids)].sort()
