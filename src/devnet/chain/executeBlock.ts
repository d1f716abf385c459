import type { Engine } from '../engine/execute.ts'
import type { BlockTransaction } from './blockStore.ts'
import { type ExecutionBlock, executeTransaction } from './executeTransaction.ts'
import { executionJson } from './executionJson.ts'
import type { Overlay } from './overlay.ts'
import type { PendingTransaction } from './transactionPool.ts'

/** Executes the transactions of a block one after another on top of `state`. */
export function executeBlock(
  engine: Engine,
  pending: readonly PendingTransaction[],
  block: ExecutionBlock,
  state: Overlay,
): BlockTransaction[] {
  return pending.map(({ transaction, lane }) => ({
    version: transaction.version,
    hash: transaction.hash,
    laneId: lane.id,
    json: transaction.json,
    executionResult: executionJson(transaction, executeTransaction(engine, transaction, block, state)),
  }))
}
