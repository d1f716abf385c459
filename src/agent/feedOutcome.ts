import { type EiaRow, readablePeriod } from '@wattfeed/eia'
import { errorFields } from '../runtime/errorFields.ts'
import { exitCodes } from '../runtime/exitCodes.ts'
import { formatTable } from '../runtime/formatTable.ts'
import { printable } from '../runtime/printable.ts'
import type { LeftOut } from './plan/attestRows.ts'
import type { Decided, Decision } from './plan/decide.ts'
import type { Known } from './plan/plan.ts'

/** The work of a cycle for a feed, up to its failure if it failed. */
export interface Progress {
  /** 64 hex digits each, in the order in which they were executed. */
  readonly transactionHashes: readonly string[]
  /** Periods that the chain lacked, now attested, oldest first. */
  readonly caughtUp: readonly number[]
  /** Earlier periods attested again because EIA has revised them, oldest first. */
  readonly revised: readonly number[]
  /** Number of attestable periods not attested yet. If there are any, the feed is due again at once. */
  readonly missing: number
  readonly leftOut: readonly LeftOut[]
  /** Periods that the chain lacks between the feed's newest values, oldest first; null if they were not searched. */
  readonly gaps: readonly number[] | null
  /** The members of a committee that have signed, as far as this one knows; none for a key that signs alone. */
  readonly signers: readonly string[]
}

/** A feed with a decision, attested if that was due. */
export interface DecidedFeed extends Progress {
  readonly feedId: string
  readonly row: EiaRow
  readonly result: Decided
  readonly decision: Decision
  readonly error: null
}

/** A feed that failed, with the state and the work before the failure. */
export interface FailedFeed extends Progress, Known {
  readonly feedId: string
  readonly decision: null
  readonly error: Error
}

export type FeedOutcome = DecidedFeed | FailedFeed

const nothingDone: Progress = {
  transactionHashes: [],
  caughtUp: [],
  revised: [],
  missing: 0,
  leftOut: [],
  gaps: null,
  signers: [],
}

export const decidedOutcome = (
  feedId: string,
  { row, result }: { row: EiaRow; result: Decided },
  progress: Partial<Progress> = {},
): DecidedFeed => ({
  feedId,
  row,
  result,
  decision: result.decision,
  error: null,
  ...nothingDone,
  ...progress,
})

export const failedOutcome = (
  feedId: string,
  error: Error,
  { row, result }: Known,
  progress: Partial<Progress> = {},
): FailedFeed => ({ feedId, row, result, decision: null, error, ...nothingDone, ...progress })

/** Returns the last transaction of an outcome, or the transaction that failed or must settle first; null if there is none. */
export const transactionOf = ({ error, transactionHashes }: FeedOutcome): string | null =>
  (error === null ? null : hashOf(error)) ?? transactionHashes.at(-1) ?? null

/** Returns the hash of the transaction that caused an error; null if there is none. */
function hashOf(error: Error): string | null {
  const source = 'executed' in error && error.executed instanceof Object ? error.executed : error
  return 'transactionHash' in source && typeof source.transactionHash === 'string'
    ? source.transactionHash
    : null
}

/** Returns a feed's outcome as `--json` prints it. */
export function outcomeFields(outcome: FeedOutcome) {
  const { row, result, error } = outcome
  const isWaiting = error !== null && 'waitsUntil' in error
  return {
    feed_id: outcome.feedId,
    decision: outcome.decision,
    period: result?.period ?? null,
    amount: result?.amount?.toString() ?? null,
    value: row?.value ?? null,
    unit: result?.unit ?? null,
    source_hash: result?.source_hash ?? null,
    /** The last of `transaction_hashes`, or the one that failed. */
    transaction_hash: transactionOf(outcome),
    error: error && errorFields(error),
    transaction_hashes: outcome.transactionHashes,
    caught_up: outcome.caughtUp,
    missing: outcome.missing,
    revised: outcome.revised,
    left_out: outcome.leftOut,
    waits_for: isWaiting ? hashOf(error) : null,
    /** Epoch milliseconds. */
    waits_until: isWaiting && typeof error.waitsUntil === 'number' ? error.waitsUntil : null,
    gaps: outcome.gaps,
    signers: outcome.signers,
  }
}

export type OutcomeFields = ReturnType<typeof outcomeFields>

const head = ['feed', 'decision', 'period', 'value', 'unit', 'transaction']

/** Returns the table of a cycle, with a line for each feed that has more to say, and the counts. */
export function formatOutcomes(outcomes: readonly FeedOutcome[]): string {
  const fields = outcomes.map(outcomeFields)
  const failed = fields.flatMap(({ feed_id, error }) => (error ? [`${feed_id}: ${error.message}`] : []))
  const besides = [...fields.flatMap(formatProgress), ...failed].map(printable)
  return [formatTable([head, ...fields.map(cellsOf)]), ...besides, summaryOf(outcomes)].join('\n')
}

/** Returns a line about a feed's earlier periods; none if they have not changed. */
export function formatProgress(
  fields: Pick<OutcomeFields, 'feed_id' | 'caught_up' | 'missing' | 'revised' | 'left_out' | 'gaps'>,
): string[] {
  const { feed_id, caught_up, missing, revised, left_out, gaps } = fields
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

/** Returns the line that `--json` prints for a feed. */
export function outcomeLine(outcome: FeedOutcome, redact: (text: string) => string): string {
  return JSON.stringify(outcomeFields(outcome), (_, field) =>
    typeof field === 'string' ? redact(field) : field,
  )
}

/** Returns the exit code of a run that tried every feed once. */
export const exitCodeOf = (outcomes: readonly FeedOutcome[]): number =>
  outcomes.some(({ error }) => error !== null) ? exitCodes.someFailed : exitCodes.done
