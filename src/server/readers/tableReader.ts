import { assertOfTree, attestedRootOf, type DatasetRecipe, type SnapshotFiles } from '@wattfeed/dataset'
import type { SnapshotTable } from '@wattfeed/dataset/table'
import pLimit from 'p-limit'
import type { Reading, Snapshot } from 'wattfeed'
import { type ByRoot, readByRoot, readNewestRoot, readTable, type TablePage } from 'wattfeed/internal'
import { NotCoveredError } from 'wattfeed/series'
import { TablesBusyError, TablesRemoteError } from './seriesErrors.ts'
import { datasetNotFound, indexOf, inWordsOfUrl, namesOf } from './seriesReader.ts'
import { createTables, type DatasetRoot, type Tables } from './snapshots.ts'
import type { TableCursor, TableRequest } from './tableRequest.ts'

/** A page of a table, and by which attestation. */
export interface FoundTable extends ByRoot, TablePage {
  /** Ids of the facets of the dataset, sorted. */
  readonly facets: readonly string[]
  /** Where the next page starts; null on the last. */
  readonly next: TableCursor | null
}

/** A page takes some tens of milliseconds of CPU and some megabytes. */
const AT_ONCE = 2

const MAX_WAITING = 32

/** Reads tables of datasets whose snapshots are in local folders. */
export class TableReader {
  readonly #tables: Tables
  readonly #hasFolder: boolean
  readonly #limit = pLimit(AT_ONCE)

  constructor(places: readonly SnapshotFiles[]) {
    this.#tables = createTables(places)
    this.#hasFolder = places.some(({ isRemote = false }) => !isRemote)
  }

  /**
   * Reads a page at a state root: of the newest root whose files are at hand, or of that which is asked for.
   *
   * @throws {QueryError} if a parameter does not fit the dataset, or a cursor is of another chain.
   * @throws {TablesRemoteError} if all places are URLs.
   * @throws {TablesBusyError} if too many pages are waiting.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand.
   * @throws {RootNotFoundError} if it had no root at the time that is asked for.
   * @throws {SnapshotGoneError} if the snapshot of the root that is asked for is not.
   * @throws {NotCoveredError} if it was made without a column or a facet.
   * @throws {SnapshotFaultError} if a file is wrong, or the index of tables is missing.
   */
  async read(at: Snapshot, request: TableRequest): Promise<FoundTable> {
    if (!this.#hasFolder) throw new TablesRemoteError()
    const newest = await inWordsOfUrl(request, readNewestRoot(at, request))
    if (newest === null) throw await datasetNotFound(at, request)
    const readBy = (reading: Reading, index: number) => this.#readPage(reading, index, request)
    const reads = readByRoot(at, newest, request.at, readBy)
    const { found, ...byRoot } = await inWordsOfUrl(indexOf(request.at), reads, namesOf(request.at))
    const { total, rows } = found
    const { index, reading } = byRoot
    const end = request.offset + rows.length
    const next = rows.length === 0 || end >= total ? null : { index, root: reading.source_hash, offset: end }
    return { ...found, ...byRoot, next }
  }

  /** Reads the page of a root; null if its snapshot is not at hand. */
  #readPage(reading: Reading, index: number, request: TableRequest) {
    if (this.#limit.pendingCount >= MAX_WAITING) throw new TablesBusyError({ waiting: MAX_WAITING })
    const { tree, recipe } = attestedRootOf(reading, request)
    const of = { feedId: reading.feed_id, root: reading.source_hash }
    return this.#limit(() =>
      this.#tables.read(of, async (table) => {
        assertOfTree(table, tree)
        assertCovered(table, recipe, request, { ...of, index })
        const { columns, facets, from: period_from, to: period_to, sort, limit, offset } = request
        const query = { columns, facets, period_from, period_to, sort, limit, offset }
        const page = await inWordsOfUrl({}, readTable(table, query))
        return { ...page, facets: table.index.facets.map(({ id }) => id) }
      }),
    )
  }
}

/** Asserts that a snapshot has what the recipe of today has of a table. Without it, its rows would look as if EIA had no others. */
function assertCovered(
  { manifest, index: { facets } }: SnapshotTable,
  recipe: DatasetRecipe,
  request: TableRequest,
  { feedId, root, index }: DatasetRoot & { readonly index: number },
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
