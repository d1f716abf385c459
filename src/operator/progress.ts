import type { Rpc } from '@wattfeed/casper'
import { clockWords, type Pending, type SendStep, type TransactionEvent } from '@wattfeed/casper/transaction'
import { formatCspr } from './amounts.ts'

export const eventWords: Readonly<Record<TransactionEvent, string>> = {
  accepted: 'accepted, waiting for a block',
  pending: 'waiting for a block',
  sent_again: 'sent again, the same bytes',
  unreachable: 'no node answers, retrying',
}

export const isEvent = (step: string): step is TransactionEvent => step in eventWords

/** Formats a step that people wait for as one line; null for other steps. `what` names the transaction. */
export function formatStep(what: string, sendStep: SendStep): string | null {
  const { step, pending } = sendStep
  if (step === 'written') return `${what}: sending ${pending.transaction_hash}`
  if (step === 'clock_off') return `${what}: ${clockWords(sendStep.aheadMs)}; set it`
  if (isEvent(step)) return `${what}: ${eventWords[step]}`
  if (step !== 'settled') return null
  const { outcome, executed } = sendStep.settlement
  if (outcome !== 'executed') return `${what}: ${outcome}`
  return `${what}: executed in block ${executed.blockHeight}, cost ${formatCspr(executed.chargedMotes)}`
}

export interface Waiting extends Disposable {
  note(sendStep: { step: string; pending: Pick<Pending, 'transaction_hash' | 'expires_at'> }): void
}

const SAY_EVERY_MS = 15_000

/** Steps of a transaction that is not in flight: not sent yet, or settled. */
const NOT_IN_FLIGHT: ReadonlySet<string> = new Set<SendStep['step']>([
  'signed',
  'clock_off',
  'settled',
  'removed',
  'not_removed',
])

/**
 * Reports every 15 s what a command waits for: the transactions in flight with their start and expiry, and faults of the
 * nodes. Before anything is sent, it reports only nodes that do not answer.
 */
export function startWaiting({
  rpc,
  say,
  now = Date.now,
  repeat = interval,
}: {
  rpc: Pick<Rpc, 'lastFailure'>
  say: (line: string) => void
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** Calls a function periodically. Returns a function that stops it. @default a timer */
  repeat?: (tick: () => void, everyMs: number) => () => void
}): Waiting {
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
    note({ step, pending: { transaction_hash: hash, expires_at: until } }) {
      if (NOT_IN_FLIGHT.has(step)) sent.delete(hash)
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
