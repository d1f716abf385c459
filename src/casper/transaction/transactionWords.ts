import type { TransactionEvent } from './followTransaction.ts'

/** What happens to a transaction, for people who wait. */
export const transactionWords: Readonly<Record<TransactionEvent, string>> = {
  accepted: 'accepted, waiting for a block',
  pending: 'waiting for a block',
  sent_again: 'sent again, the same bytes',
  unreachable: 'no node answers, asking again',
}
