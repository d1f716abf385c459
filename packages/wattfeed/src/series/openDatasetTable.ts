import { assertOptions, InvalidArgumentError, type OptionNames } from '@wattfeed/base'
import {
  assertOfTree,
  attestedRootOf,
  type DatasetSeries,
  filesBelow,
  type SnapshotFiles,
} from '@wattfeed/dataset'
import { openTable } from '@wattfeed/dataset/table'
import { readOptionNames } from '../client/argument.ts'
import type { Client } from '../client/createClient.ts'
import type { ReadOptions } from '../client/reads.ts'
import type { Reading } from '../registry/reading.ts'
import { assertTableCovered } from './assertTableCovered.ts'
import { isByNewestRoot, type RootReads, readByRoot, readNewestRoot } from './datasetRoots.ts'
import { rootOf } from './getSeries.ts'
import { readTable, type TablePage, type TableQuery } from './readTable.ts'

/** The dataset that {@link openDatasetTable} opens, and by which root. */
export interface DatasetTableRequest extends Pick<DatasetSeries, 'route' | 'frequency'> {
  /**
   * A time in epoch milliseconds. The newest root that was attested up to then answers, and no other.
   * @default the newest root whose files are there
   */
  as_of?: number
  /** Index of the attestation whose root answers, in place of `as_of`. */
  index?: number
}

/** Options of {@link openDatasetTable}. */
export interface DatasetTableOptions extends ReadOptions {
  /**
   * The files of a local folder with the dataset's snapshots, each in a folder below it that has the root as its name. They may come
   * from anyone: they are checked against the root.
   */
  files: SnapshotFiles
}

/** The rows of a dataset, by one root. */
export interface DatasetTable {
  /** Id of the feed that has the dataset's roots. */
  readonly feed_id: string
  /** EIA's ids of the columns, sorted. */
  readonly columns: readonly string[]
  /** EIA's ids of the facets, sorted. */
  readonly facets: readonly string[]
  /** Number of values in the dataset. */
  readonly size: number
  /** Root of the dataset: 64 hex digits. */
  readonly root: string
  /** Index of its attestation in the feed's history. */
  readonly index: number
  /** Block time of the attestation, in epoch milliseconds. */
  readonly attested_at: number
  /**
   * False while the files of the newest root are missing. The rows are then those of an earlier one, of the last eight. False if another
   * root is newer than that of `as_of` or `index`.
   */
  readonly is_newest_root: boolean
  /**
   * Reads a page. All pages are of the same root.
   *
   * @throws {@link InvalidArgumentError} when a member of the query is unknown; `argument` names it.
   * @throws {@link SeriesQueryError} when the dataset has no such column, facet or period.
   * @throws {@link NotCoveredError} when the snapshot was made without the column or a facet.
   * @throws {@link DatasetError} when a file is wrong.
   */
  read(query?: TableQuery): Promise<TablePage>
}

/** Maximum number of rows of a page. Each takes some hundred bytes. */
const MAX_ROWS = 100_000

function assertCount(
  name: 'offset' | 'limit',
  count: number,
  { min, max }: { min: number; max: number },
): void {
  if (!Number.isSafeInteger(count) || count < min || count > max)
    throw new InvalidArgumentError(`query.${name}`, `a whole number from ${min} to ${max}`)
}

const requestNames: OptionNames<DatasetTableRequest> = { route: 1, frequency: 1, as_of: 1, index: 1 }

const queryNames: OptionNames<TableQuery> = {
  ...{ columns: 1, facets: 1, period_from: 1, period_to: 1, sort: 1, offset: 1, limit: 1 },
}

/**
 * Opens the table of a dataset: rows of many series, in any order and from any offset. The root is read from the chain, and the rows from
 * files, which are checked against the root. Holds some bytes in memory for each value.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { createClient } from 'wattfeed'
 * import { openDatasetTable } from 'wattfeed/series'
 *
 * const folder = 'datasets/eia.dataset.electricity.retail-sales.monthly'
 * const missing = (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? null : Promise.reject(error))
 * const files = { read: (path: string) => readFile(`${folder}/${path}`).catch(missing) }
 * const dataset = { route: 'electricity/retail-sales', frequency: 'monthly' }
 * const table = await openDatasetTable(createClient(), dataset, { files })
 * const page = await table?.read({ columns: ['price'], facets: { stateid: ['CA', 'NY'] }, sort: ['-period'] })
 * console.log(page?.total, page?.rows[0]) // 720 { column: 'price', facets: { … }, period: '2026-09', value: '27.16', … }
 * ```
 *
 * @param reads - a client or a snapshot, which also verifies the root if configured to. All is read at one state root.
 * @returns Null if the dataset is not registered, or has no root.
 * @throws {@link InvalidArgumentError} when a member of the request or an option is unknown or malformed, or `files` are at a URL: a page
 * may take thousands of reads.
 * @throws {@link SeriesQueryError} when the dataset is spelled differently, or has no root with the index.
 * @throws {@link RootNotFoundError} when the dataset had no root at the time of `as_of`.
 * @throws {@link SnapshotMissingError} when `files` lacks the snapshots of the newest roots.
 * @throws {@link SnapshotGoneError} when `files` lacks the snapshot of the root of `as_of` or `index`.
 * @throws {@link TableIndexMissingError} when the snapshot has no index of tables.
 * @throws {@link DatasetError} when the feed is no dataset's, or a file is wrong.
 * @throws {@link WattfeedError} when the chain cannot be read.
 * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
 */
export async function openDatasetTable(
  reads: Pick<Client, 'snapshot'> | RootReads,
  request: DatasetTableRequest,
  options: DatasetTableOptions,
): Promise<DatasetTable | null> {
  assertOptions(request, requestNames, 'dataset')
  assertOptions(options, { ...readOptionNames, files: 1 })
  const { files, signal } = options
  const root = rootOf(request)
  if (files.isRemote === true)
    throw new InvalidArgumentError(
      'files',
      'those of a local folder: a page of a table may take thousands of reads',
    )
  const at = 'snapshot' in reads ? await reads.snapshot({ signal }) : reads
  const newest = await readNewestRoot(at, request, { signal })
  if (newest === null) return null
  const readBy = (reading: Reading) => openTable(filesBelow(files, reading.source_hash))
  const found = await readByRoot(at, newest, root, readBy, { signal })
  const { found: table, reading, index } = found
  const { tree, recipe } = attestedRootOf(reading, request)
  assertOfTree(table, tree)
  return {
    feed_id: reading.feed_id,
    columns: table.manifest.columns,
    facets: table.index.facets.map(({ id }) => id),
    size: Number(reading.amount),
    root: reading.source_hash,
    index,
    attested_at: reading.updated_at,
    is_newest_root: isByNewestRoot(found),
    async read(query = {}) {
      assertOptions(query, queryNames, 'query')
      assertCount('offset', query.offset ?? 0, { min: 0, max: table.manifest.size })
      assertCount('limit', query.limit ?? 1, { min: 1, max: MAX_ROWS })
      assertTableCovered(table, { feedId: reading.feed_id, root: reading.source_hash, index, recipe }, query)
      return readTable(table, query)
    },
  }
}
