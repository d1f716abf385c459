/**
 * Files that survive a crash: SQLite, locks, and files that are replaced as a whole. For Bun.
 *
 * @module @wattfeed/base/disk
 */
export {
  type DatabaseSchema,
  faultIn,
  type OpenDatabaseOptions,
  openDatabase,
  orStateFileError,
  StateFileError,
  writeTransaction,
} from './database.ts'
export {
  acquireLock,
  findHolder,
  formatHolder,
  LockedError,
  type LockHolder,
  UnlockableError,
} from './lockFile.ts'
export { openStateFile, ownersOf, type StateFile } from './stateFile.ts'
export { syncFolder, temporaryOf, writeAtomically, writeThrough } from './writeAtomically.ts'
