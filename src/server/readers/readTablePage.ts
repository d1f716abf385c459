import type { Snapshot } from 'wattfeed'
import { assertTableCovered, type ByRoot, readTable, type TablePage } from 'wattfeed/internal'
import type { AttestedTables } from './attestedTables.ts'
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
    assertTableCovered(table, root, request)
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
