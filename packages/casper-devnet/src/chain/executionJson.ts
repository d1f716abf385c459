import { formatAccountHash } from '@wattfeed/casper/types'
import { GAS_PRICE } from '../chainspec.ts'
import { formatEffect } from '../engine/transform.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { ExecutedTransaction } from './executeTransaction.ts'

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
