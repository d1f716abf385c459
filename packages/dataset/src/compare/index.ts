/**
 * Comparing two snapshots of a dataset without sending all leaves: digests over ranges of keys, from large to small. Runs anywhere.
 *
 * @module @wattfeed/dataset/compare
 */
export {
  type Comparison,
  compareSides,
  DifferenceTooLargeError,
  type LeafDifference,
} from './compareSides.ts'
export { type Side, sideLimits } from './side.ts'
export { isRequestFault, type OnTile, sideOfFiles } from './sideOfFiles.ts'
