import { formatAccountHash } from '@wattfeed/casper/types'
import { GAS_PRICE } from '../chainspec.ts'
import type { Engine } from '../engine/execute.ts'
import { formatEffect } from '../engine/transform.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { BlockTransaction } from './blockStore.ts'
import { type ExecutedTransaction, type ExecutionBlock, executeTransaction } from './executeTransaction.ts'
import { formatTransfer } from './formatTransfer.ts'
import type { Overlay } from './overlay.ts'
import type { PendingTransaction } from './transactionPool.ts'

/** A transaction that has been executed for the next block. */
export interface ExecutedPending {
  transaction: Transaction
  executed: ExecutedTransaction
  /** What the block stores of it. */
  stored: BlockTransaction
}

export function executePending(
  engine: Engine,
  { transaction, lane }: PendingTransaction,
  block: ExecutionBlock,
  state: Overlay,
): ExecutedPending {
  const executed = executeTransaction(engine, transaction, block, state)
  const { version, hash, json } = transaction
  const executionResult = executionJson(transaction, executed)
  return { transaction, executed, stored: { version, hash, laneId: lane.id, json, executionResult } }
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
      transfers: executed.transfers.map((each) => formatTransfer(transaction, each)),
      size_estimate: transaction.sizeBytes,
      effects: executed.effects.map(formatEffect),
    },
  }
}

/** Returns the sender of a transaction as a node's JSON. */
export function initiatorJson({ initiator: { publicKey, accountHash } }: Transaction): object {
  if (publicKey !== null) return { PublicKey: publicKey }
  return { AccountHash: formatAccountHash(accountHash) }
}
