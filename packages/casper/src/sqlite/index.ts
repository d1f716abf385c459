export { otherHolder } from './holds.ts'
export {
  createPendingRows,
  type Destination,
  destinationId,
  type PendingRows,
  removePending,
} from './pendingRows.ts'
export { pendingTransactions } from './pendingTransactions.ts'
export { createSqliteStore, type KeyUse, type SqliteStore } from './sqliteStore.ts'
export { senderTables } from './sqliteTables.ts'
