/**
 * Reads a series of a whole dataset, and proves what the dataset says about it. For Bun, Node.js and browsers.
 *
 * @module wattfeed/series
 */

export { InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export {
  DatasetError,
  type DatasetSeries,
  type Facet,
  type FacetCode,
  HttpFilesError,
  httpFiles,
  type Manifest,
  openSnapshot,
  type SeriesQuery,
  type Snapshot,
  type SnapshotFiles,
  type Statement,
  type UnknownCode,
} from '@wattfeed/dataset'
export { createSeriesProof, type SeriesProofParts } from './createSeriesProof.ts'
export { getSeries, type Series, type SeriesOptions, type SeriesRequest } from './getSeries.ts'
export { type DatasetTable, type DatasetTableOptions, openDatasetTable } from './openDatasetTable.ts'
export type { TablePage, TableQuery, TableRow } from './readTable.ts'
export { SeriesQueryError } from './seriesQueryError.ts'
export { SnapshotMissingError } from './snapshotMissingError.ts'
