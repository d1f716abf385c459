import { formatAccountHash } from '../../casper/types/accountHash.ts'
import type { Engine } from '../engine/execute.ts'
import { formatEffect } from '../engine/transform.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { BlockTransaction } from './blockStore.ts'
import { type ExecutedTransaction, type ExecutionBlock, executeTransaction } from './executeTransaction.ts'
import type { Overlay } from './overlay.ts'
import type { PendingTransaction } from './transactionPool.ts'

/** The engine threw an error. This is a bug, because it returns every failure of a contract as a result. */
export class BrokenExecutionError extends Error {
  constructor(
    readonly pending: PendingTransaction,
    override readonly cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`dropped transaction ${pending.transaction.hash}, because the engine failed: ${reason}`)
  }
}

/** @throws {BrokenExecutionError} when the engine throws */
export function executeBlock(
  engine: Engine,
  pending: readonly PendingTransaction[],
  block: ExecutionBlock,
  state: Overlay,
): BlockTransaction[] {
  return pending.map((each) => {
    const { transaction, lane } = each
    return {
      version: transaction.version,
      hash: transaction.hash,
      laneId: lane.id,
      json: transaction.json,
      executionResult: executionJson(transaction, execute(engine, each, block, state)),
    }
  })
}

function execute(
  engine: Engine,
  pending: PendingTransaction,
  block: ExecutionBlock,
  state: Overlay,
): ExecutedTransaction {
  try {
    return executeTransaction(engine, pending.transaction, block, state)
  } catch (error) {
    throw new BrokenExecutionError(pending, error)
  }
}

const GAS_PRICE = 1

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
