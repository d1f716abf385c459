import { createSqliteStore, type KeyUse, type SqliteStore } from '@wattfeed/casper/sqlite'
import type { Pending, Settled } from '@wattfeed/casper/transaction'
import { AttestPurpose, attestedFeedIds, pendingFeedIds } from './attestPurpose.ts'
import { FeedBackfillingError, FeedPendingError } from './feedPending.ts'
import type { AgentState } from './openState.ts'
import { addSentValues, removeSentValues } from './sentLog.ts'
import { recordSettledBlock } from './settledBlocks.ts'

/**
 * Creates the store of attestations: a feed has at most one transaction in flight. The outcome of a transaction is recorded in
 * the same step that removes it, and its values in the step that writes it.
 *
 * @param now the machine's clock, in epoch milliseconds
 */
export function createAttestationStore(state: AgentState, now: () => number = Date.now): SqliteStore {
  return createSqliteStore({
    state: state.file,
    destination: state.destination,
    purpose: AttestPurpose,
    keysOf: attestedFeedIds,
    taken: (feedId, use) => takenError(feedId, use, now()),
    recordWritten: (pending) => addSentValues(state, pending),
    recordSettled: (pending, settled) => recordOutcome(state, pending, settled),
  })
}

/** Records the outcome of attestations. Call it in a database transaction. */
export function recordOutcome(state: AgentState, pending: Pending, { outcome, executed }: Settled): void {
  if (outcome !== 'executed') removeSentValues(state, pending)
  else
    recordSettledBlock(state, pendingFeedIds(pending), {
      height: executed.blockHeight,
      expiresAt: pending.expires_at,
    })
}

function takenError(
  feedId: string,
  { pending, holder }: KeyUse,
  now: number,
): FeedBackfillingError | FeedPendingError {
  if (holder?.purpose === 'backfill') return new FeedBackfillingError({ feedId, holder })
  if (holder !== null) return new FeedPendingError(feedId, { holder }, now)
  const { transaction_hash = null, expires_at = null } = pending ?? {}
  return new FeedPendingError(feedId, { transactionHash: transaction_hash, waitsUntil: expires_at }, now)
}
