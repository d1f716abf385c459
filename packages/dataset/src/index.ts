/**
 * A dataset of EIA as a Merkle tree in static files, whose root is attested. Finds a series in it, and proves what it says.
 *
 * @module @wattfeed/dataset
 */
export { DatasetError } from './errors.ts'
export {
  type DatasetSeries,
  decodeLeaf,
  encodeKey,
  encodeLeaf,
  type Leaf,
  type LeafKey,
} from './leaf.ts'
export { formatManifest, isRoot, MANIFEST, type Manifest, parseManifest } from './manifest.ts'
export { hashLeaf, isIncluded, rootOf } from './merkleTree.ts'
export {
  DATASET_UNIT,
  type DatasetRecipe,
  datasetFeedId,
  formatDatasetRecipe,
  parseDatasetRecipe,
  withoutDatasetRecipe,
} from './recipe.ts'
export { openSnapshot, type ProvenLeaf, type Snapshot } from './snapshot.ts'
export type { SnapshotFiles } from './snapshotFiles.ts'
export {
  type AttestedTree,
  checkLeaf,
  checkStatement,
  type Evidence,
  findSeries,
  type SeriesQuery,
  type Statement,
  statements,
} from './statement.ts'
