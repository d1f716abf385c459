import { assertOfTree, attestedRootOf, type Leaf, type SnapshotFiles } from '@wattfeed/dataset'
import {
  findRuns,
  pageOf,
  type Run,
  type SnapshotTable,
  selectLeaves,
  type TableFilter,
} from '@wattfeed/dataset/table'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import pLimit from 'p-limit'
import type { Reading, Snapshot } from 'wattfeed'
import { type ByRoot, describeFacets, FACET_PARAMETER, readByRoot, readNewestRoot } from 'wattfeed/internal'
import { QueryError } from '../http/strictQuery.ts'
import { SnapshotGoneError, TablesBusyError, TablesRemoteError } from './seriesErrors.ts'
import { datasetNotFound, inWordsOfUrl } from './seriesReader.ts'
import { createTables, type Tables } from './snapshots.ts'
import { parseSort, type TableCursor, type TableRequest } from './tableRequest.ts'

/** A page of a table, and by which attestation. */
export interface FoundTable extends ByRoot {
  /** Ids of the facets of the dataset, sorted. */
  readonly facets: readonly string[]
  readonly rows: readonly { readonly index: number; readonly leaf: Leaf }[]
  /** Number of rows of all pages. */
  readonly total: number
  /** Whether the leaves beside the rows show that there are no others; null if nothing shows it. */
  readonly complete: true | null
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
    const { route, frequency } = request
    const newest = await inWordsOfUrl({ route, frequency }, readNewestRoot(at, request))
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
      this.#tables.read(of, (table) => {
        assertOfTree(table, tree)
        return readPage(table, request)
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
  if (value?.source_hash !== root)
    throw new QueryError('cursor', root, `${feedId} has no such root at the index ${index}`)
  const { amount, period, timestamp } = value
  const reading = {
    ...newest,
    value: Number(amount),
    amount,
    period,
    source_hash: root,
    updated_at: timestamp,
  }
  const found = await readBy(reading)
  if (found === null) throw new SnapshotGoneError({ feedId, root })
  return { found, reading, index, newestRoot }
}

async function readPage(table: SnapshotTable, request: TableRequest) {
  const { index, manifest } = table
  const filter = filterOf(table, request)
  const facets = index.facets.map(({ id }) => id)
  const page = pageOf(index, selectLeaves(index, filter), {
    sort: parseSort(request.sort, facets),
    offset: request.cursor?.offset ?? 0,
    limit: request.limit,
  })
  const indices = page.rows.map(([leaf = 0]) => leaf)
  const runs = findRuns(index, filter)
  const beside = (runs ?? []).flatMap((run) => besideOf(run, manifest.size))
  const leaves = await table.readLeaves(new Set([...indices, ...beside].sort((one, other) => one - other)))
  const rows = indices.map((at) => {
    const leaf = leaves.get(at)
    if (leaf === undefined) throw new TypeError(`leaf ${at} was not read`)
    return { index: at, leaf }
  })
  return { facets, rows, total: page.total, complete: runs === null ? null : (true as const) }
}

/** The leaves beside a run. They are compared with the index, by which they lie outside of it. */
const besideOf = ({ from, to }: Run, size: number): number[] =>
  [from - 1, to].filter((at) => at >= 0 && at < size)

/** Checks that the dataset can have the table. A misspelt name would otherwise select nothing, as if EIA had no values. */
function filterOf({ index, manifest }: SnapshotTable, request: TableRequest): TableFilter {
  const { route, frequency, columns, facets, from, to } = request
  const wrong = columns?.find((column) => !manifest.columns.includes(column))
  if (wrong !== undefined)
    throw new QueryError('column', wrong, `the columns of ${route} are ${manifest.columns.join(', ')}`)
  const ids = index.facets.map(({ id }) => id)
  const unknown = Object.keys(facets).find((id) => !ids.includes(id))
  if (unknown !== undefined)
    throw new QueryError(
      `${FACET_PARAMETER}${unknown}`,
      null,
      `there is no such facet; ${describeFacets(route, ids)}`,
    )
  assertPeriod('period_from', from, frequency)
  assertPeriod('period_to', to, frequency)
  return { columns: columns ?? manifest.columns, facets, from, to }
}

function assertPeriod(parameter: string, period: string | null, frequency: string): void {
  if (period === null) return
  try {
    encodePeriod(frequency, period)
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    throw new QueryError(parameter, period, `a ${frequency} period must be ${error.rule}`)
  }
}
