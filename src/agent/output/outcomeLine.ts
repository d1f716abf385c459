import { WattfeedError } from '../../errors.ts'
import type { FeedOutcome } from '../loop/feedOutcome.ts'

/** What a line of `--json` says of an error. */
export interface ErrorFields {
  code: string
  message: string
  retryable: boolean
}

/** An error as scripts read it; `internal` is one that wattfeed did not expect. */
export function errorFields(error: Error): ErrorFields {
  const { code, retryable } = error instanceof WattfeedError ? error : { code: 'internal', retryable: false }
  return { code, message: error.message, retryable }
}

/** One JSON object without a line break: what became of a feed. */
export function outcomeLine(outcome: FeedOutcome, redact: (text: string) => string): string {
  const { feedId, decision, period, amount, value, unit, sourceHash, transactionHash, error } = outcome
  const line = {
    feed_id: feedId,
    decision,
    period,
    amount: amount?.toString() ?? null,
    value,
    unit,
    source_hash: sourceHash,
    transaction_hash: transactionHash,
    error: error && errorFields(error),
  }
  return JSON.stringify(line, (_, field) => (typeof field === 'string' ? redact(field) : field))
}
