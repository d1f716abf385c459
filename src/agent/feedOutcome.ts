import type { EiaRow } from '../eia/series.ts'
import { type ErrorFields, errorFields } from '../runtime/errorFields.ts'
import type { Decision, DecisionResult } from './decide.ts'

/** A row that is passed by for good, because a later period is attested. */
export interface LeftOut {
  /** The period as an integer. */
  readonly period: number
  /** A decision, such as `withheld`, or the code of an error, such as `not_a_number`. */
  readonly reason: string
}

/** What a cycle did for a feed beside its newest row. Of a cycle that failed, what it did before. */
export interface Progress {
  /** 64 hex digits each, in the order in which they were executed. */
  readonly transactionHashes: readonly string[]
  /** Periods that the chain lacked, now attested, oldest first. */
  readonly caughtUp: readonly number[]
  /** Earlier periods attested again because EIA has revised them, oldest first. */
  readonly revised: readonly number[]
  /** How many periods could be attested and are not yet: the feed is due again at once. */
  readonly missing: number
  readonly leftOut: readonly LeftOut[]
  /** Periods that the chain lacks between the feed's newest values, oldest first; null if they were not looked for. */
  readonly gaps: readonly number[] | null
}

/** The outcome of a feed in one cycle. Exactly one of `decision` and `error` is null. */
export interface FeedOutcome extends Progress {
  feedId: string
  decision: Decision | null
  /** The period as an integer; null if no row was read. */
  period: number | null
  /** The value times 10^decimals; null if it was not scaled. */
  amount: bigint | null
  /** As EIA sent it; null also if no row was read. */
  value: string | null
  /** As hashed. */
  unit: string | null
  /** 32 hex digits. */
  source_hash: string | null
  /** 64 hex digits of the transaction that attested it or failed to; null if none was sent. */
  transactionHash: string | null
  /** 64 hex digits of the transaction that has to settle first; null if there is none. */
  waitsFor: string | null
  /** When that expires at the latest, in epoch milliseconds. */
  waitsUntil: number | null
  error: Error | null
}

/** What is known about a feed so far. */
export interface Known {
  row: EiaRow | null
  result: DecisionResult | null
}

/** Returns the outcome of a feed that was decided and, with a transaction, attested. */
export function decidedOutcome(
  feedId: string,
  known: Known & { result: DecisionResult },
  transactionHash: string | null = null,
  progress: Partial<Progress> = {},
): FeedOutcome {
  return {
    ...factsOf(feedId, known),
    decision: known.result.decision,
    transactionHash,
    ...progressOf(transactionHash, progress),
    waitsFor: null,
    waitsUntil: null,
    error: null,
  }
}

/** Returns the outcome of a feed that failed, with what was known and done by then. */
export function failedOutcome(
  feedId: string,
  error: Error,
  known: Known,
  progress: Partial<Progress> = {},
): FeedOutcome {
  const transactionHash = hashOf(error)
  const isWaiting = 'waitsUntil' in error
  return {
    ...factsOf(feedId, known),
    decision: null,
    transactionHash: transactionHash ?? progress.transactionHashes?.at(-1) ?? null,
    ...progressOf(null, progress),
    waitsFor: isWaiting ? transactionHash : null,
    waitsUntil: isWaiting && typeof error.waitsUntil === 'number' ? error.waitsUntil : null,
    error,
  }
}

const progressOf = (transactionHash: string | null, progress: Partial<Progress>): Progress => ({
  transactionHashes: transactionHash === null ? [] : [transactionHash],
  caughtUp: [],
  revised: [],
  missing: 0,
  leftOut: [],
  gaps: null,
  ...progress,
})

function factsOf(feedId: string, { row, result }: Known) {
  const { period = null, amount = null, unit = null, source_hash = null } = result ?? {}
  return { feedId, period, amount, value: row?.value ?? null, unit, source_hash }
}

/** Returns the hash of the transaction that an error is about; null if there is none. */
function hashOf(error: Error): string | null {
  const source = 'executed' in error && error.executed instanceof Object ? error.executed : error
  return 'transactionHash' in source && typeof source.transactionHash === 'string'
    ? source.transactionHash
    : null
}

/** A feed's outcome as `--json` prints it. */
export interface OutcomeFields {
  feed_id: string
  decision: Decision | null
  period: number | null
  amount: string | null
  value: string | null
  unit: string | null
  source_hash: string | null
  /** The last of `transaction_hashes`, or the one that failed. */
  transaction_hash: string | null
  error: ErrorFields | null
  transaction_hashes: readonly string[]
  caught_up: readonly number[]
  missing: number
  revised: readonly number[]
  left_out: readonly LeftOut[]
  waits_for: string | null
  /** Epoch milliseconds. */
  waits_until: number | null
  gaps: readonly number[] | null
}

/** Converts a feed's outcome for `--json`. */
export const outcomeFields = (outcome: FeedOutcome): OutcomeFields => ({
  feed_id: outcome.feedId,
  decision: outcome.decision,
  period: outcome.period,
  amount: outcome.amount?.toString() ?? null,
  value: outcome.value,
  unit: outcome.unit,
  source_hash: outcome.source_hash,
  transaction_hash: outcome.transactionHash,
  error: outcome.error && errorFields(outcome.error),
  transaction_hashes: outcome.transactionHashes,
  caught_up: outcome.caughtUp,
  missing: outcome.missing,
  revised: outcome.revised,
  left_out: outcome.leftOut,
  waits_for: outcome.waitsFor,
  waits_until: outcome.waitsUntil,
  gaps: outcome.gaps,
})
