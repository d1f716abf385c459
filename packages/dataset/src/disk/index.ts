/**
 * Snapshots on disk: the rows while they are read, the static files, and the check of a whole folder. For Bun.
 *
 * @module @wattfeed/dataset/disk
 */
export { checkSnapshot, type OnBundle } from './checkSnapshot.ts'
export { folderFiles } from './folderFiles.ts'
export { readLeaves } from './readLeaves.ts'
export {
  openStage,
  type SnapshotPlan,
  type Stage,
  type StagedPage,
  type StagedRow,
  type StageProgress,
} from './stage.ts'
export type { StagedMember, TextsByCode } from './stagedTexts.ts'
export { writeTableIndex } from './writeTableIndex.ts'
export { type WrittenTree, writeTree } from './writeTree.ts'
