/**
 * A dataset of EIA as a Merkle tree in static files, whose root is attested. Finds a series in it, and proves what it says.
 *
 * @module @wattfeed/dataset
 */
export { InvalidArgumentError } from '@wattfeed/base'
export { type AttestedRoot, attestedRootOf, datasetRootOf, type RootReading } from './datasetRoot.ts'
export {
  EIA_RECORD,
  type EiaLevel,
  type EiaNames,
  type EiaRecord,
  formatEiaRecord,
  MAX_EIA_RECORD_BYTES,
  parseEiaRecord,
  readEiaRecord,
} from './eiaRecord.ts'
export { DatasetError } from './errors.ts'
export {
  FACETS,
  type Facet,
  type FacetCode,
  findUnknownCode,
  nearestCode,
  type UnknownCode,
} from './facets.ts'
export { HttpFilesError, httpFiles } from './httpFiles.ts'
export {
  type DatasetSeries,
  decodeLeaf,
  encodeKey,
  encodeLeaf,
  formatSeries,
  type Leaf,
  type LeafKey,
} from './leaf.ts'
export { formatManifest, isRoot, MANIFEST, type Manifest, parseManifest } from './manifest.ts'
export { hashLeaf, isIncluded, nodesBeside, nodesOfPath, type Run, rootOf, rootOfRun } from './merkleTree.ts'
export { type CheckedRun, checkRange, checkRun, type RangeEvidence, type RangeLeaf } from './range.ts'
export { type RangeAnswer, RangeTooLongError, readRange } from './readRange.ts'
export {
  DATASET_UNIT,
  type DatasetRecipe,
  datasetFeedId,
  formatDatasetRecipe,
  isDatasetFeedId,
  parseDatasetRecipe,
  withoutDatasetRecipe,
} from './recipe.ts'
export { formatRange, type SeriesRange } from './seriesRange.ts'
export { openSnapshot, type ProvenLeaf, type ProvenRun, type Snapshot } from './snapshot.ts'
export { filesBelow, type SnapshotFiles } from './snapshotFiles.ts'
export {
  type AttestedTree,
  assertOfTree,
  type CheckedLeaf,
  checkLeaf,
  checkStatement,
  type Evidence,
  findSeries,
  readSeries,
  type SeriesAnswer,
  type SeriesQuery,
  type Statement,
  statements,
} from './statement.ts'
