import { readablePeriod } from '../../eia/readablePeriod.ts'
import { WattfeedError } from '../../errors.ts'
import { errorFields } from '../../runtime/errorFields.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import type { Log } from '../../runtime/log.ts'
import { outOfReachHint } from '../../runtime/outOfReachHint.ts'
import { printable } from '../../runtime/printable.ts'
import { isSystemError } from '../../runtime/systemReason.ts'
import { exitCodes } from '../exitCodes.ts'
import { type FeedOutcome, type OutcomeFields, outcomeFields, transactionOf } from '../feedOutcome.ts'
import { FeedBackfillingError } from '../state/feedPending.ts'

const head = ['feed', 'decision', 'period', 'value', 'unit', 'transaction']

export function formatOutcomes(outcomes: readonly FeedOutcome[]): string {
  const fields = outcomes.map(outcomeFields)
  const failed = fields.flatMap(({ feed_id, error }) => (error ? [`${feed_id}: ${error.message}`] : []))
  const besides = [...fields.flatMap(formatProgress), ...failed].map(printable)
  return [formatTable([head, ...fields.map(cellsOf)]), ...besides, summaryOf(outcomes)].join('\n')
}

/** Returns a line about a feed's earlier periods; none if they have not changed. */
export function formatProgress({
  feed_id,
  caught_up,
  missing,
  revised,
  left_out,
  gaps,
}: Pick<OutcomeFields, 'feed_id' | 'caught_up' | 'missing' | 'revised' | 'left_out' | 'gaps'>): string[] {
  const passed = left_out.map(({ period, reason }) => `${readablePeriod(period)} (${reason})`)
  const words = [
    ...(caught_up.length === 0 ? [] : [`caught up ${listPeriods(caught_up.map(readablePeriod))}`]),
    ...(missing === 0 ? [] : [`${missing} still missing`]),
    ...(revised.length === 0 ? [] : [`revised ${listPeriods(revised.map(readablePeriod))}`]),
    ...(passed.length === 0 ? [] : [`left out ${listPeriods(passed)}`]),
    ...(gaps === null || gaps.length === 0 ? [] : [`not on chain ${listPeriods(gaps.map(readablePeriod))}`]),
  ]
  return words.length === 0 ? [] : [`${feed_id}: ${words.join('; ')}`]
}

const MAX_NAMED = 6

function listPeriods(periods: readonly string[]): string {
  const more = periods.length - MAX_NAMED
  return periods.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const cellsOf = (fields: OutcomeFields): string[] => [
  fields.feed_id,
  fields.decision ?? `error ${fields.error?.code ?? ''}`,
  fields.period === null ? '-' : readablePeriod(fields.period),
  fields.value ?? '-',
  fields.unit ?? '-',
  fields.transaction_hash ?? '-',
]

function summaryOf(outcomes: readonly FeedOutcome[]): string {
  const counts = new Map<string, number>()
  for (const { decision } of outcomes)
    if (decision !== null) counts.set(decision, (counts.get(decision) ?? 0) + 1)
  const failures = outcomes.filter(({ error }) => error !== null).length
  const words = [...counts].map(([decision, count]) => `${count} ${decision}`)
  return [...words, ...(failures === 0 ? [] : [`${failures} failed`])].join(', ')
}

export function outcomeLine(outcome: FeedOutcome, redact: (text: string) => string): string {
  return JSON.stringify(outcomeFields(outcome), (_, field) =>
    typeof field === 'string' ? redact(field) : field,
  )
}

/** Logs a feed's outcome; an unexpected error with its stack. */
export function logOutcome(log: Log, outcome: FeedOutcome): void {
  const { error } = outcome
  const { feed_id, decision, transaction_hash, ...fields } = outcomeFields(outcome)
  const period = fields.period === null ? null : readablePeriod(fields.period)
  const left_out = fields.left_out.map((each) => ({ ...each, period: readablePeriod(each.period) }))
  if (left_out.length > 0)
    log.warn({ feed_id, left_out }, 'periods left out: EIA has no attestable value for them')
  if (error === null)
    log.info({ feed_id, decision, period, transaction_hash, ...besides(outcome) }, 'feed decided')
  else if (error instanceof FeedBackfillingError)
    log.info(
      { feed_id, code: error.code, process_id: error.holder.id },
      'feed skipped: a backfill is running',
    )
  else if (error instanceof WattfeedError || isSystemError(error))
    log.warn(
      { feed_id, code: errorFields(error).code, error: error.message, transaction_hash, ...besides(outcome) },
      'feed failed',
    )
  else log.error({ feed_id, err: error, transaction_hash }, 'internal error')
}

/** Returns the log fields about earlier periods; none in most cycles. */
function besides(outcome: FeedOutcome): object {
  const { transaction_hashes, caught_up, missing, revised, gaps, waits_until, signers } =
    outcomeFields(outcome)
  return {
    ...(transaction_hashes.length < 2 ? {} : { transaction_hashes }),
    ...(caught_up.length === 0 ? {} : { caught_up: caught_up.map(readablePeriod) }),
    ...(missing === 0 ? {} : { missing }),
    ...(revised.length === 0 ? {} : { revised: revised.map(readablePeriod) }),
    ...(gaps === null || gaps.length === 0 ? {} : { gaps: gaps.map(readablePeriod) }),
    ...(waits_until === null ? {} : { waits_until }),
    ...(signers.length === 0 ? {} : { signers }),
  }
}

export function logCycle(log: Log, outcomes: readonly FeedOutcome[], durationMs: number): void {
  const attested = outcomes.filter((outcome) => outcome.error === null && transactionOf(outcome) !== null)
  const failed = outcomes.filter(({ error }) => error !== null)
  const counts = { feeds: outcomes.length, attested: attested.length, failed: failed.length }
  log.info({ ...counts, duration_ms: Math.round(durationMs) }, 'cycle finished')
  const [hint = null] = failed.map(({ error }) => outOfReachHint(error))
  if (hint !== null) log.warn({ hint }, 'no node can be reached')
}

export const exitCodeOf = (outcomes: readonly FeedOutcome[]): number =>
  outcomes.some(({ error }) => error !== null) ? exitCodes.someFailed : exitCodes.done
