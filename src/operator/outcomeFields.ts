import type { ExecutedTransaction } from '@wattfeed/casper/transaction'
import type { Outcome } from './payAll.ts'

/** The fields of a transaction in a report. */
export interface TransactionFields {
  transaction_hash: string | null
  block_height: number | null
  /** In motes; null if nothing is sent. */
  payment_motes: string | null
  consumed_motes: string | null
  charged_motes: string | null
  /** Set if the transaction was written to a file. */
  file?: string
  expires_at?: string
  is_signed?: boolean
}

/** Those of a transaction that was not sent. */
export const notSent: TransactionFields = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
}

export const executionFields = ({ blockHeight, consumedMotes, chargedMotes }: ExecutedTransaction) => ({
  block_height: blockHeight,
  consumed_motes: consumedMotes.toString(),
  charged_motes: chargedMotes.toString(),
})

/** The fields of an outcome that are known, as commands print them. */
export function outcomeFields(outcome: Outcome) {
  switch (outcome.state) {
    case 'planned':
      return { payment_motes: outcome.paymentMotes.toString() }
    case 'written': {
      const { file, transactionHash, expiresAt, isSigned, paymentMotes } = outcome.written
      return {
        file,
        transaction_hash: transactionHash,
        expires_at: new Date(expiresAt).toISOString(),
        is_signed: isSigned,
        payment_motes: paymentMotes.toString(),
      }
    }
    case 'pending':
    case 'executed':
    case 'failed':
      return {
        transaction_hash: outcome.pending.transaction_hash,
        ...(outcome.executed === null ? {} : executionFields(outcome.executed)),
      }
    default:
      return {}
  }
}
