import { WattfeedError } from '../../errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { FeedOutcome } from '../feedOutcome.ts'

/** Logs what became of a feed. An error that nobody expected is logged with its stack. */
export function logOutcome(log: Log, outcome: FeedOutcome): void {
  const { feedId: feed_id, decision, period, transactionHash: transaction_hash, error } = outcome
  if (error === null) log.info({ feed_id, decision, period, transaction_hash }, 'decided')
  else if (error instanceof WattfeedError)
    log.warn({ feed_id, code: error.code, error: error.message, transaction_hash }, 'failed')
  else
    log.error(
      { feed_id, err: error, transaction_hash },
      'failed for a reason that is a fault of this program',
    )
}

/** Logs what a cycle came to. */
export function logCycle(log: Log, outcomes: readonly FeedOutcome[], durationMs: number): void {
  const attested = outcomes.filter(({ error, transactionHash }) => error === null && transactionHash !== null)
  const failed = outcomes.filter(({ error }) => error !== null)
  const counts = { feeds: outcomes.length, attested: attested.length, failed: failed.length }
  log.info({ ...counts, duration_ms: Math.round(durationMs) }, 'cycle')
}
