import type { EiaRow } from '../eia/series.ts'
import type { Decision, DecisionResult } from './decide.ts'

/** What became of a feed in one cycle. Exactly one of `decision` and `error` is null. */
export interface FeedOutcome {
  feedId: string
  decision: Decision | null
  /** The period as an integer; null where no row was read. */
  period: number | null
  /** The value times 10^decimals; null where it was not scaled. */
  amount: bigint | null
  /** As upstream sent it; null also where no row was read. */
  value: string | null
  /** As it is hashed. */
  unit: string | null
  /** 32 hex digits. */
  sourceHash: string | null
  /** 64 hex digits of the transaction that attests it, or that failed to; null where none was sent. */
  transactionHash: string | null
  error: Error | null
}

/** What is known of a feed so far. */
export interface Known {
  row: EiaRow | null
  result: DecisionResult | null
}

/** A feed that was decided, and attested where there is a transaction. */
export function decidedOutcome(
  feedId: string,
  known: Known & { result: DecisionResult },
  transactionHash: string | null = null,
): FeedOutcome {
  return { ...factsOf(feedId, known), decision: known.result.decision, transactionHash, error: null }
}

/** A feed that failed, with what was known of it by then. */
export function failedOutcome(feedId: string, error: Error, known: Known): FeedOutcome {
  return { ...factsOf(feedId, known), decision: null, transactionHash: hashOf(error), error }
}

function factsOf(feedId: string, { row, result }: Known) {
  const { period = null, amount = null, unit = null, sourceHash = null } = result ?? {}
  return { feedId, period, amount, value: row?.value ?? null, unit, sourceHash }
}

/** The transaction that an error speaks of. */
function hashOf(error: Error): string | null {
  const told = 'executed' in error && error.executed instanceof Object ? error.executed : error
  return 'transactionHash' in told && typeof told.transactionHash === 'string' ? told.transactionHash : null
}
