import { assertOfTree, attestedRootOf, type DatasetRecipe, type SnapshotFiles } from '@wattfeed/dataset'
import type { SnapshotTable } from '@wattfeed/dataset/table'
import pLimit from 'p-limit'
import type { Reading, Snapshot } from 'wattfeed'
import { type ByRoot, type RootAt, readByRoot, readNewestRoot } from 'wattfeed/internal'
import { TablesBusyError, TablesRemoteError } from './seriesErrors.ts'
import { datasetNotFound, indexOf, inWordsOfUrl } from './seriesReader.ts'
import { createTables, type DatasetRoot, type Tables } from './snapshots.ts'

/** A dataset, and the root that answers. */
export interface TableAsked {
  readonly route: string
  readonly frequency: string
  /** Null for the newest root whose files are there. */
  readonly at: RootAt | null
  /** The cursor that names it, as sent. */
  readonly cursor?: string
  /** What its rows are sorted by. Those of a column read and sort all values that match. */
  readonly sortedBy?: readonly string[]
}

/** The root of a table. */
export interface TableRoot extends DatasetRoot {
  /** Index of its attestation. */
  readonly index: number
  /** How snapshots are made today. */
  readonly recipe: DatasetRecipe
}

/** A page takes some tens of milliseconds of CPU and some megabytes. */
const pages = { atOnce: 2, maxWaiting: 32 }

/** A sort by the values of 100,000 rows takes some two seconds of CPU. More of them would wait past the deadline of a request. */
const sorts = { atOnce: 1, maxWaiting: 8 }

/**
 * Tables of datasets whose snapshots are in local folders, each by a root on chain. All who read pages share one limit. Sorts by values have
 * another, so that pages do not wait for them.
 */
export class AttestedTables {
  readonly #tables: Tables
  readonly #hasFolder: boolean
  readonly #pages = pLimit(pages.atOnce)
  readonly #sorts = pLimit(sorts.atOnce)

  constructor(places: readonly SnapshotFiles[]) {
    this.#tables = createTables(places)
    this.#hasFolder = places.some(({ isRemote = false }) => !isRemote)
  }

  /**
   * Reads from a table at a state root: of the newest root whose files are at hand, or of that which is asked for.
   *
   * @throws {QueryError} if the route or the frequency is spelled differently, or there is no such attestation.
   * @throws {TablesRemoteError} if all places are URLs.
   * @throws {TablesBusyError} if too many reads are waiting.
   * @throws {DatasetNotFoundError} if the dataset has no root on chain.
   * @throws {SnapshotMissingError} if no snapshot of a recent root is at hand.
   * @throws {RootNotFoundError} if it had no root at the time that is asked for.
   * @throws {SnapshotGoneError} if the snapshot of the root that is asked for is not.
   * @throws {TableIndexMissingError} if the snapshot has no index of tables.
   * @throws {SnapshotFaultError} if a file is wrong.
   * @throws what `use` throws.
   */
  async read<T>(
    at: Snapshot,
    asked: TableAsked,
    use: (table: SnapshotTable, root: TableRoot) => Promise<T>,
  ): Promise<ByRoot & { readonly found: T }> {
    if (!this.#hasFolder) throw new TablesRemoteError()
    const newest = await inWordsOfUrl(asked, readNewestRoot(at, asked))
    if (newest === null) throw await datasetNotFound(at, asked)
    const readBy = (reading: Reading, index: number) => this.#readRoot(reading, index, asked, use)
    const reads = readByRoot(at, newest, asked.at, readBy)
    return inWordsOfUrl({ ...indexOf(asked.at), cursor: asked.cursor }, reads)
  }

  /** Reads from the table of a root; null if its snapshot is not at hand. */
  #readRoot<T>(
    reading: Reading,
    index: number,
    asked: TableAsked,
    use: (table: SnapshotTable, root: TableRoot) => Promise<T>,
  ): Promise<T | null> {
    const { tree, recipe } = attestedRootOf(reading, asked)
    const isSort = asked.sortedBy?.some((by) => recipe.columns.includes(by)) ?? false
    const [limit, { maxWaiting }] = isSort ? [this.#sorts, sorts] : [this.#pages, pages]
    if (limit.pendingCount >= maxWaiting) throw new TablesBusyError({ waiting: maxWaiting })
    const of = { feedId: reading.feed_id, root: reading.source_hash }
    return limit(() =>
      this.#tables.read(of, (table) => {
        assertOfTree(table, tree)
        return use(table, { ...of, index, recipe })
      }),
    )
  }
}
