import type { Rpc } from '../casper/rpc/rpc.ts'
import type { SendStep } from '../casper/transaction/durableSender.ts'
import type { TransactionEvent } from '../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../casper/transaction/getTransaction.ts'
import type { Pending, Purpose } from '../casper/transaction/pendingStore.ts'
import { clockWords } from '../casper/transaction/timestamp.ts'
import { formatCspr } from './amounts.ts'

/** The progress of a transaction, for people who wait for it. */
export type Progress<P extends Purpose> =
  | { event: 'written' | TransactionEvent | 'failed' | 'expired' | 'refused'; pending: Pending<P> }
  | { event: 'clock_off'; pending: Pending<P>; aheadMs: number }
  | { event: 'executed'; pending: Pending<P>; executed: ExecutedTransaction }

/** Creates an `onStep` that reports the steps that people wait for, and awaits the callback. */
export const reportProgress =
  <P extends Purpose>(report: (progress: Progress<P>) => unknown) =>
  (sendStep: SendStep<P>): unknown => {
    const { step, pending } = sendStep
    if (step === 'written' || isEvent(step)) return report({ event: step, pending })
    if (step === 'clock_off') return report({ event: step, pending, aheadMs: sendStep.aheadMs })
    if (step !== 'settled') return
    const { outcome, executed } = sendStep.settlement
    return report(
      outcome === 'executed' ? { event: outcome, pending, executed } : { event: outcome, pending },
    )
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
export function formatProgress<P extends Purpose>(what: string, progress: Progress<P>): string {
  if (progress.event === 'executed') {
    const { blockHeight, chargedMotes } = progress.executed
    return `${what}: executed in block ${blockHeight}, cost ${formatCspr(chargedMotes)}`
  }
  if (progress.event === 'written') return `${what}: sending ${progress.pending.transaction_hash}`
  if (progress.event === 'clock_off') return `${what}: ${clockWords(progress.aheadMs)}; set it`
  return `${what}: ${isEvent(progress.event) ? eventWords[progress.event] : progress.event}`
}

/** Says from time to time what a command waits for. */
export interface Waiting extends Disposable {
  /** Notes the progress of a transaction. */
  note(progress: { event: string; pending: Pick<Pending<Purpose>, 'transaction_hash' | 'expires_at'> }): void
}

export interface WaitingOptions {
  rpc: Pick<Rpc, 'lastFailure'>
  say: (line: string) => void
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** Calls a function again and again, and returns what ends that. @default a timer */
  repeat?: (tick: () => void, everyMs: number) => () => void
}

const SAY_EVERY_MS = 15_000

/** Ends with the transaction, or with what is signed in its place. */
const ENDS: ReadonlySet<string> = new Set([
  'executed',
  'failed',
  'expired',
  'refused',
  'settled',
  'removed',
  'recorded',
  'clock_off',
])

/**
 * Says every 15 s what a command waits for: the transactions on their way, since when, until when at most, and what is
 * wrong with the nodes; before anything is sent, only the nodes that do not answer.
 *
 * @example
 * ```ts
 * using waiting = startWaiting({ rpc, say: terminal.warn })
 * ```
 */
export function startWaiting({ rpc, say, now = Date.now, repeat = interval }: WaitingOptions): Waiting {
  const start = now()
  const sent = new Map<string, { since: number; until: number }>()
  const end = repeat(() => {
    const failure = rpc.lastFailure()
    const why = failure === null ? '' : `; ${failure}`
    for (const [hash, { since, until }] of sent)
      say(
        `waiting for transaction ${hash} since ${clockTime(since)}, until ${clockTime(until)} UTC at most${why}`,
      )
    if (sent.size === 0 && failure !== null)
      say(`waiting for the nodes since ${clockTime(start)} UTC, nothing is sent yet${why}`)
  }, SAY_EVERY_MS)
  return {
    note({ event, pending: { transaction_hash: hash, expires_at: until } }) {
      if (ENDS.has(event)) sent.delete(hash)
      else if (!sent.has(hash)) sent.set(hash, { since: now(), until })
    },
    [Symbol.dispose]: end,
  }
}

const clockTime = (epochMs: number): string => new Date(epochMs).toISOString().slice(11, 19)

function interval(tick: () => void, everyMs: number): () => void {
  const timer = setInterval(tick, everyMs)
  return () => clearInterval(timer)
}
