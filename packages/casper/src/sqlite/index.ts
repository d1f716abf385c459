/**
 * Stores the transactions of a durable sender in an SQLite file that several processes of a machine may share. For Bun.
 *
 * @module @wattfeed/casper/sqlite
 */

export { InvalidArgumentError } from '@wattfeed/base'
export { type DatabaseSchema, openStateFile, type StateFile, StateFileError } from '@wattfeed/base/disk'
export { otherHolder } from './holds.ts'
export {
  createPendingRows,
  type Destination,
  destinationId,
  type PendingRows,
  type PendingRowsOptions,
  type PurposeSchema,
  removePending,
  type StoredPending,
} from './pendingRows.ts'
export { pendingTransactions } from './pendingTransactions.ts'
export { createSqliteStore, type KeyUse, type SqliteStore, type SqliteStoreOptions } from './sqliteStore.ts'
export { senderTables } from './sqliteTables.ts'
