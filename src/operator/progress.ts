import type { SendStep } from '../casper/transaction/durableSender.ts'
import type { TransactionEvent } from '../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../casper/transaction/getTransaction.ts'
import type { Pending } from '../casper/transaction/pendingStore.ts'
import { formatCspr } from './amounts.ts'

/** What people who wait for a transaction are told of. */
export type Progress<P extends object> =
  | { event: 'written' | TransactionEvent; pending: Pending<P> }
  | { event: 'executed'; pending: Pending<P>; executed: ExecutedTransaction }

/** Tells of those steps of a transaction that people wait for, and waits for who is told. */
export const tellProgress =
  <P extends object>(tell: (progress: Progress<P>) => unknown) =>
  (told: SendStep<P>): unknown => {
    const { step, pending } = told
    if (step === 'written' || isEvent(step)) return tell({ event: step, pending })
    if (step !== 'settled') return
    const { outcome, executed } = told.settlement
    if (outcome === 'executed') return tell({ event: 'executed', pending, executed })
  }

/** What happens to a transaction that is sent and followed, in words. */
export const eventWords: Readonly<Record<TransactionEvent, string>> = {
  accepted: 'accepted, waiting for a block',
  pending: 'waiting for a block',
  sent_again: 'sent again, the same bytes',
  unreachable: 'no node answers, asking again',
}

const isEvent = (step: string): step is TransactionEvent => step in eventWords

/** One line of what happens to a transaction; `what` says which. */
export function formatProgress<P extends object>(what: string, progress: Progress<P>): string {
  if (progress.event === 'executed') {
    const { blockHeight, chargedMotes } = progress.executed
    return `${what}: executed in block ${blockHeight}, cost ${formatCspr(chargedMotes)}`
  }
  if (progress.event === 'written') return `${what}: sending ${progress.pending.transaction_hash}`
  return `${what}: ${eventWords[progress.event]}`
}
