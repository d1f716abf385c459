import type { Engine } from '../engine/execute.ts'
import type { BlockTransaction } from './blockStore.ts'
import { type ExecutionBlock, executeTransaction } from './executeTransaction.ts'
import { executionJson } from './executionJson.ts'
import type { Overlay } from './overlay.ts'
import type { PendingTransaction } from './transactionPool.ts'

/** Executes a pending transaction, and returns what its block stores. */
export function executePending(
  engine: Engine,
  { transaction, lane }: PendingTransaction,
  block: ExecutionBlock,
  state: Overlay,
): BlockTransaction {
  return {
    version: transaction.version,
    hash: transaction.hash,
    laneId: lane.id,
    json: transaction.json,
    executionResult: executionJson(transaction, executeTransaction(engine, transaction, block, state)),
  }
}
