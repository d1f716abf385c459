import type { EiaRow } from '../eia/series.ts'
import { type ErrorFields, errorFields } from '../runtime/errorFields.ts'
import type { Decision, DecisionResult } from './decide.ts'

/** The outcome of a feed in one cycle. Exactly one of `decision` and `error` is null. */
export interface FeedOutcome {
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
  sourceHash: string | null
  /** 64 hex digits of the transaction that attested it or failed to; null if none was sent. */
  transactionHash: string | null
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
): FeedOutcome {
  return { ...factsOf(feedId, known), decision: known.result.decision, transactionHash, error: null }
}

/** Returns the outcome of a feed that failed, with what was known by then. */
export function failedOutcome(feedId: string, error: Error, known: Known): FeedOutcome {
  return { ...factsOf(feedId, known), decision: null, transactionHash: hashOf(error), error }
}

function factsOf(feedId: string, { row, result }: Known) {
  const { period = null, amount = null, unit = null, sourceHash = null } = result ?? {}
  return { feedId, period, amount, value: row?.value ?? null, unit, sourceHash }
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
  transaction_hash: string | null
  error: ErrorFields | null
}

/** Converts a feed's outcome for `--json`. */
export const outcomeFields = (outcome: FeedOutcome): OutcomeFields => ({
  feed_id: outcome.feedId,
  decision: outcome.decision,
  period: outcome.period,
  amount: outcome.amount?.toString() ?? null,
  value: outcome.value,
  unit: outcome.unit,
  source_hash: outcome.sourceHash,
  transaction_hash: outcome.transactionHash,
  error: outcome.error && errorFields(outcome.error),
})
