import type { SendStep } from '../casper/transaction/durableSender.ts'
import type { TransactionEvent } from '../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../casper/transaction/getTransaction.ts'
import type { Pending } from '../casper/transaction/pendingStore.ts'
import { formatCspr } from './amounts.ts'

/** The progress of a transaction, for people who wait for it. */
export type Progress<P extends object> =
  | { event: 'written' | TransactionEvent; pending: Pending<P> }
  | { event: 'executed'; pending: Pending<P>; executed: ExecutedTransaction }

/** Creates an `onStep` that reports the steps that people wait for, and awaits the callback. */
export const reportProgress =
  <P extends object>(report: (progress: Progress<P>) => unknown) =>
  (sendStep: SendStep<P>): unknown => {
    const { step, pending } = sendStep
    if (step === 'written' || isEvent(step)) return report({ event: step, pending })
    if (step !== 'settled') return
    const { outcome, executed } = sendStep.settlement
    if (outcome === 'executed') return report({ event: 'executed', pending, executed })
  }

/** The events of a transaction, in words. */
export const eventWords: Readonly<Record<TransactionEvent, string>> = {
  accepted: 'accepted, waiting for a block',
  pending: 'waiting for a block',
  sent_again: 'sent again, the same bytes',
  unreachable: 'no node answers, asking again',
}

const isEvent = (step: string): step is TransactionEvent => step in eventWords

/** Formats progress as one line; `what` names the transaction. */
export function formatProgress<P extends object>(what: string, progress: Progress<P>): string {
  if (progress.event === 'executed') {
    const { blockHeight, chargedMotes } = progress.executed
    return `${what}: executed in block ${blockHeight}, cost ${formatCspr(chargedMotes)}`
  }
  if (progress.event === 'written') return `${what}: sending ${progress.pending.transaction_hash}`
  return `${what}: ${eventWords[progress.event]}`
}
