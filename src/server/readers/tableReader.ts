import { assertOfTree, attestedRootOf, type SnapshotFiles } from '@wattfeed/dataset'
import pLimit from 'p-limit'
import type { Reading, Snapshot } from 'wattfeed'
import { type ByRoot, readByRoot, readNewestRoot, readTable, type TablePage } from 'wattfeed/internal'
import { QueryError } from '../http/strictQuery.ts'
import { SnapshotGoneError, TablesBusyError, TablesRemoteError } from './seriesErrors.ts'
import { datasetNotFound, inWordsOfUrl } from './seriesReader.ts'
import { createTables, type Tables } from './snapshots.ts'
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
   * Reads a page at a state root: of the newest root whose files are at hand, or of that of a cursor.
   *
   * @throws {QueryError} if a parameter does not fit the dataset, or a cursor is of another chain.
   * @throws {TablesRemoteError} if all places are URLs.
   * @throws {TablesBusyError} if too many pages are waiting.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand.
   * @throws {SnapshotGoneError} if that of a cursor is not.
   * @throws {SnapshotFaultError} if a file is wrong, or the index of tables is missing.
   */
  async read(at: Snapshot, request: TableRequest): Promise<FoundTable> {
    if (!this.#hasFolder) throw new TablesRemoteError()
    const newest = await inWordsOfUrl(request, readNewestRoot(at, request))
    if (newest === null) throw await datasetNotFound(at, request)
    const readBy = (reading: Reading) => this.#readPage(reading, request)
    const { found, ...byRoot } =
      request.cursor === null
        ? await readByRoot(at, newest, readBy)
        : await readByCursor(at, newest, request.cursor, readBy)
    const { total, rows } = found
    const { index, reading } = byRoot
    const end = (request.cursor?.offset ?? 0) + rows.length
    const next = rows.length === 0 || end >= total ? null : { index, root: reading.source_hash, offset: end }
    return { ...found, ...byRoot, next }
  }

  /** Reads the page of a root; null if its snapshot is not at hand. */
  #readPage(reading: Reading, request: TableRequest) {
    if (this.#limit.pendingCount >= MAX_WAITING) throw new TablesBusyError({ waiting: MAX_WAITING })
    const { tree } = attestedRootOf(reading, request)
    const of = { feedId: reading.feed_id, root: reading.source_hash }
    return this.#limit(() =>
      this.#tables.read(of, async (table) => {
        assertOfTree(table, tree)
        const { columns, facets, from: period_from, to: period_to, sort, limit, cursor } = request
        const query = { columns, facets, period_from, period_to, sort, limit, offset: cursor?.offset ?? 0 }
        const page = await inWordsOfUrl({}, readTable(table, query))
        return { ...page, facets: table.index.facets.map(({ id }) => id) }
      }),
    )
  }
}

/** Reads by the attestation that a cursor names. */
async function readByCursor<T>(
  at: Snapshot,
  newest: Reading,
  { index, root }: TableCursor,
  readBy: (reading: Reading) => Promise<T | null>,
): Promise<ByRoot & { readonly found: T }> {
  const { feed_id: feedId, source_hash: newestRoot } = newest
  const [value] = await at.getValueHistory(feedId, { from: index, to: index + 1 })
  if (value === undefined || !value.source_hash.startsWith(root))
    throw new QueryError('cursor', root, `${feedId} has no such root at the index ${index}`)
  const { amount, period, source_hash, timestamp } = value
  const reading = { ...newest, value: Number(amount), amount, period, source_hash, updated_at: timestamp }
  const found = await readBy(reading)
  if (found === null) throw new SnapshotGoneError({ feedId, root: source_hash })
  return { found, reading, index, newestRoot }
}
