/**
 * Tables of a snapshot: which leaves a query selects, in any order, without a scan of all values.
 *
 * @module @wattfeed/dataset/table
 */
export { findRuns, MAX_LISTED_SERIES, type Run } from './findRuns.ts'
export { openTable, type SnapshotTable, TableIndexMissingError } from './openTable.ts'
export { type Page, type PageQuery, pageOf, type SortKey } from './pageOf.ts'
export { type Selection, selectJoined, selectLeaves, type TableFilter } from './selectRows.ts'
export { createSeriesFinder } from './seriesFinder.ts'
export { TABLE_INDEX, type TableIndex } from './tableIndex.ts'
