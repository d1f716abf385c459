import type { SnapshotTable } from '@wattfeed/dataset/table'
import type { Snapshot } from 'wattfeed'
import { type ByRoot, readTable, type TablePage } from 'wattfeed/internal'
import { NotCoveredError } from 'wattfeed/series'
import type { AttestedTables, TableRoot } from './attestedTables.ts'
import { inWordsOfUrl } from './seriesReader.ts'
import type { TableCursor, TableRequest } from './tableRequest.ts'

/** A page of a table, and by which attestation. */
export interface FoundTable extends ByRoot, TablePage {
  /** Ids of the facets of the dataset, sorted. */
  readonly facets: readonly string[]
  /** Where the next page starts; null on the last. */
  readonly next: TableCursor | null
}

/**
 * Reads a page of a table at a state root.
 *
 * @throws {QueryError} if a parameter does not fit the dataset, or a cursor is of another chain.
 * @throws {NotCoveredError} if the snapshot was made without a column or a facet.
 * @throws what {@link AttestedTables.read} throws.
 */
export async function readTablePage(
  tables: AttestedTables,
  at: Snapshot,
  request: TableRequest,
): Promise<FoundTable> {
  const { found, ...byRoot } = await tables.read(at, request, async (table, root) => {
    assertCovered(table, root, request)
    const { columns, facets, from: period_from, to: period_to, sort, limit, offset } = request
    const query = { columns, facets, period_from, period_to, sort, limit, offset }
    const page = await inWordsOfUrl({}, readTable(table, query))
    return { ...page, facets: table.index.facets.map(({ id }) => id) }
  })
  const { total, rows } = found
  const { index, reading } = byRoot
  const end = request.offset + rows.length
  const next = rows.length === 0 || end >= total ? null : { index, root: reading.source_hash, offset: end }
  return { ...found, ...byRoot, next }
}

/** Asserts that a snapshot has what the recipe of today has of a table. Without it, its rows would look as if EIA had no others. */
function assertCovered(
  { manifest, index: { facets } }: SnapshotTable,
  { feedId, root, index, recipe }: TableRoot,
  request: TableRequest,
): void {
  const ofFacets = facets.map(({ id }) => id)
  const missing = Object.keys(request.facets).filter((id) => !ofFacets.includes(id))
  const column = request.columns?.find((each) => !manifest.columns.includes(each)) ?? null
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
