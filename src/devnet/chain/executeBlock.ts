import type { Engine } from '../engine/execute.ts'
import { formatEffect } from '../engine/transform.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { BlockTransaction } from './blockStore.ts'
import { type ExecutedTransaction, type ExecutionBlock, executeTransaction } from './executeTransaction.ts'
import type { Overlay } from './overlay.ts'
import type { PendingTransaction } from './transactionPool.ts'

/** A bug: the engine threw where every failure of a contract is a result. */
export class BrokenExecutionError extends Error {
  constructor(
    readonly pending: PendingTransaction,
    override readonly cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`transaction ${pending.transaction.hash} cannot be executed and is given up: ${reason}`)
  }
}

/**
 * Executes the transactions of a block one after another on top of `state`.
 *
 * Throws a {@link BrokenExecutionError} where the engine breaks; the block cannot be made then.
 */
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

/** What `info_get_transaction` prints as the `execution_result` of a transaction. */
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
      transfers: [],
      size_estimate: transaction.sizeBytes,
      effects: executed.effects.map(formatEffect),
    },
  }
}

function initiatorJson({ initiator: { publicKey, accountHash } }: Transaction): object {
  if (publicKey !== null) return { PublicKey: publicKey.hex }
  return { AccountHash: `account-hash-${accountHash.toHex()}` }
}
