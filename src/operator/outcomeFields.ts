import type { ExecutedTransaction } from '../casper/transaction/getTransaction.ts'
import type { Purpose } from '../casper/transaction/transactionStore.ts'
import type { Outcome } from './payAll.ts'

/** The fields of a report for a transaction that was not sent. */
export const notSent = {
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
export function outcomeFields<P extends Purpose>(outcome: Outcome<P>) {
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
