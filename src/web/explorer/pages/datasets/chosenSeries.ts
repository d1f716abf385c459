import type { DatasetRecipe, SeriesQuery } from '@wattfeed/dataset'
import type { Choice } from './choice.ts'

/** The chosen series of an attested dataset; or why the choice is none. */
export type ChosenSeries =
  | { query: SeriesQuery }
  | { missing: readonly string[] }
  | { columns: readonly string[] }

/**
 * Returns the series that a reader has chosen. A series has a value for every facet of the recipe, which is on chain, so facets of
 * the catalog alone do not count.
 */
export function chosenSeries(
  route: string,
  { frequency, column, facets, emptyFacets, period }: Choice,
  recipe: Pick<DatasetRecipe, 'columns' | 'facets'>,
): ChosenSeries {
  if (!recipe.columns.includes(column)) return { columns: recipe.columns }
  const pinned: Record<string, string | null> = {}
  const missing: string[] = []
  for (const id of recipe.facets) {
    const value = facets[id]
    if (value !== undefined) pinned[id] = value
    else if (emptyFacets.includes(id)) pinned[id] = null
    else missing.push(id)
  }
  return missing.length > 0 ? { missing } : { query: { route, frequency, column, facets: pinned, period } }
}
