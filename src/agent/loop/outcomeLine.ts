import { errorFields } from '../../runtime/errorFields.ts'
import type { FeedOutcome } from '../feedOutcome.ts'

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
