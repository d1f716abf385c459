import type { DatasetRecipe } from '@wattfeed/dataset'
import type { SnapshotTable } from '@wattfeed/dataset/table'
import { NotCoveredError } from './notCoveredError.ts'
import type { TableQuery } from './readTable.ts'

/** The root of a table. */
interface TableRoot {
  readonly feedId: string
  readonly root: string
  /** Index of its attestation. */
  readonly index: number
  /** How snapshots are made today. */
  readonly recipe: DatasetRecipe
}

/**
 * Asserts that a snapshot has what the recipe of today has of a table. Without it, its rows would look as if EIA had no others.
 *
 * @throws {NotCoveredError} if it was made without a column or a facet.
 */
export function assertTableCovered(
  { manifest, index: { facets } }: SnapshotTable,
  { feedId, root, index, recipe }: TableRoot,
  query: Pick<TableQuery, 'columns' | 'facets'>,
): void {
  const ofFacets = facets.map(({ id }) => id)
  const missing = Object.keys(query.facets ?? {}).filter((id) => !ofFacets.includes(id))
  const column = query.columns?.find((each) => !manifest.columns.includes(each)) ?? null
  const isOfToday =
    missing.every((id) => recipe.facets.includes(id)) && (column === null || recipe.columns.includes(column))
  // Another name is a fault of the request.
  if ((missing.length === 0 && column === null) || !isOfToday) return
  const asked = Object.fromEntries(recipe.facets.map((id) => [id, null]))
  throw new NotCoveredError(feedId, root, index, {
    column: column ?? recipe.columns.join(', '),
    facets: asked,
  })
}
