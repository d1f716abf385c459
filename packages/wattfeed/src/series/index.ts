/**
 * Reads a series of a whole dataset, and proves what the dataset says about it. For Bun, Node.js and browsers.
 *
 * @module wattfeed/series
 */

export { InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export { type Lane, NoLaneError } from '@wattfeed/casper/types'
export {
  DatasetError,
  type DatasetSeries,
  type Facet,
  type FacetCode,
  HttpFilesError,
  httpFiles,
  type Manifest,
  openSnapshot,
  type ProvenRun,
  RangeTooLongError,
  type SeriesQuery,
  type SeriesRange,
  type Snapshot,
  type SnapshotFiles,
  type Statement,
  type UnknownCode,
} from '@wattfeed/dataset'
export { TableIndexMissingError } from '@wattfeed/dataset/table'
export { ContractProofError } from './contractProofError.ts'
export {
  type ContractProof,
  type ContractProofOptions,
  type ContractStatement,
  createContractProof,
  type RuntimeArgument,
} from './createContractProof.ts'
export { createRangeProof, type RangeProofParts } from './createRangeProof.ts'
export { createSeriesProof, type SeriesProofParts } from './createSeriesProof.ts'
export { getSeries, type Series, type SeriesOptions, type SeriesRequest } from './getSeries.ts'
export { getSeriesRange, type SeriesPage, type SeriesRangeRequest } from './getSeriesRange.ts'
export { NotCoveredError } from './notCoveredError.ts'
export {
  type DatasetTable,
  type DatasetTableOptions,
  type DatasetTableRequest,
  openDatasetTable,
} from './openDatasetTable.ts'
export type { TablePage, TableQuery, TableRow } from './readTable.ts'
export { RootNotFoundError } from './rootNotFoundError.ts'
export { SeriesQueryError } from './seriesQueryError.ts'
export { SnapshotGoneError } from './snapshotGoneError.ts'
export { SnapshotMissingError } from './snapshotMissingError.ts'
