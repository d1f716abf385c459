import { formatAccountHash } from '@wattfeed/casper/types'
import { GAS_PRICE } from '../chainspec.ts'
import type { Engine } from '../engine/execute.ts'
import { formatEffect } from '../engine/transform.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { BlockTransaction } from './blockStore.ts'
import { type ExecutedTransaction, type ExecutionBlock, executeTransaction } from './executeTransaction.ts'
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

/** Returns the execution result of a transaction as a node's JSON. */
export function executionJson(transaction: Transaction, executed: ExecutedTransaction): object {
  return {
    Version2: {
      initiator: initiatorJson(transaction),
      error_message: executed.error,
      current_price: GAS_PRICE,
      limit: String(executed.limitMotes),
      consumed: String(executed.consumedMotes),
      cost: String(executed.costMotes),
      refund: String(executed.refundMotes),
      transfers: executed.transfers,
      size_estimate: transaction.sizeBytes,
      effects: executed.effects.map(formatEffect),
    },
  }
}

function initiatorJson({ initiator: { publicKey, accountHash } }: Transaction): object {
  if (publicKey !== null) return { PublicKey: publicKey }
  return { AccountHash: formatAccountHash(accountHash) }
}
