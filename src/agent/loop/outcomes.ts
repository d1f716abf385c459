import { WattfeedError } from '../../errors.ts'
import { errorFields } from '../../runtime/errorFields.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import type { Log } from '../../runtime/log.ts'
import { printable } from '../../runtime/printable.ts'
import { exitCodes } from '../exitCodes.ts'
import { type FeedOutcome, outcomeFields } from '../feedOutcome.ts'
import { FeedBackfillingError } from '../outbox/feedLocks.ts'

const head = ['feed', 'decision', 'period', 'value', 'unit', 'transaction']

/** Formats outcomes for people: a table, the errors, and a count of each decision. */
export function formatOutcomes(outcomes: readonly FeedOutcome[]): string {
  const failed = outcomes.flatMap(({ feedId, error }) => (error ? [`${feedId}: ${error.message}`] : []))
  return [formatTable([head, ...outcomes.map(cellsOf)]), ...failed.map(printable), summaryOf(outcomes)].join(
    '\n',
  )
}

const cellsOf = ({
  feedId,
  decision,
  period,
  value,
  unit,
  transactionHash,
  error,
}: FeedOutcome): string[] => [
  feedId,
  decision ?? `error ${error === null ? '' : errorFields(error).code}`,
  String(period ?? '-'),
  value ?? '-',
  unit ?? '-',
  transactionHash ?? '-',
]

function summaryOf(outcomes: readonly FeedOutcome[]): string {
  const counts = new Map<string, number>()
  for (const { decision } of outcomes)
    if (decision !== null) counts.set(decision, (counts.get(decision) ?? 0) + 1)
  const failures = outcomes.filter(({ error }) => error !== null).length
  const words = [...counts].map(([decision, count]) => `${count} ${decision}`)
  return [...words, ...(failures === 0 ? [] : [`${failures} failed`])].join(', ')
}

/** Formats a feed's outcome as one line of JSON. */
export function outcomeLine(outcome: FeedOutcome, redact: (text: string) => string): string {
  return JSON.stringify(outcomeFields(outcome), (_, field) =>
    typeof field === 'string' ? redact(field) : field,
  )
}

/** Logs a feed's outcome; an unexpected error with its stack. */
export function logOutcome(log: Log, outcome: FeedOutcome): void {
  const { feedId: feed_id, decision, period, transactionHash: transaction_hash, error } = outcome
  if (error === null) log.info({ feed_id, decision, period, transaction_hash }, 'decided')
  else if (error instanceof FeedBackfillingError)
    log.info({ feed_id, code: error.code, process_id: error.holder.id }, 'left alone: it is being backfilled')
  else if (error instanceof WattfeedError)
    log.warn({ feed_id, code: error.code, error: error.message, transaction_hash }, 'failed')
  else
    log.error(
      { feed_id, err: error, transaction_hash },
      'failed for a reason that is a fault of this program',
    )
}

/** Logs the counts of a cycle. */
export function logCycle(log: Log, outcomes: readonly FeedOutcome[], durationMs: number): void {
  const attested = outcomes.filter(({ error, transactionHash }) => error === null && transactionHash !== null)
  const failed = outcomes.filter(({ error }) => error !== null)
  const counts = { feeds: outcomes.length, attested: attested.length, failed: failed.length }
  log.info({ ...counts, duration_ms: Math.round(durationMs) }, 'cycle')
}

/** Returns the exit code of an agent that tried these feeds. */
export const exitCodeOf = (outcomes: readonly FeedOutcome[]): number =>
  outcomes.some(({ error }) => error !== null) ? exitCodes.someFailed : exitCodes.done
