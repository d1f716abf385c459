import { createPendingRows, type PendingRows, removePending } from '../../casper/transaction/pendingRows.ts'
import { AttestPurpose, attestedFeedIds, type PendingAttestations, pendingFeedIds } from './attestPurpose.ts'
import { type FeedEnd, recordFeedEnd } from './feedEnds.ts'
import type { AgentState } from './openState.ts'

/** Returns the transactions that this key has approved and that may still be executed, as rows. */
export const createApprovalRows = ({ file, destination }: AgentState): PendingRows<AttestPurpose> =>
  createPendingRows<AttestPurpose>({
    state: file,
    destination,
    purpose: AttestPurpose,
    role: 'approval',
    keysOf: attestedFeedIds,
  })

/** Whether this key has approved a transaction of one of the feeds that has not ended. */
export const hasApproved = (state: AgentState, feedIds: readonly string[]): boolean =>
  listApprovals(state, feedIds).length > 0

function listApprovals(state: AgentState, feedIds: readonly string[]): PendingAttestations[] {
  const pending = state.file.read(() => createApprovalRows(state).list()).map((row) => row.pending)
  return pending.filter((each) => pendingFeedIds(each).some((feedId) => feedIds.includes(feedId)))
}

/**
 * Ends the approvals of feeds whose transactions are expired at a block: the state there shows whether they were executed. This
 * is for a key that signs alone beside a member that does not run.
 */
export function endExpiredApprovals(
  state: AgentState,
  feedIds: readonly string[],
  { height, time }: { height: number; time: number },
): void {
  const expired = listApprovals(state, feedIds).filter((each) => each.expires_at < time)
  if (expired.length === 0) return
  state.file.write(() => {
    for (const each of expired) endApproval(state, each, { height, before: time, expiresAt: each.expires_at })
  })
}

/** Records how an approval ended, and removes it. Call it in a database transaction. */
export function endApproval(state: AgentState, transaction: PendingAttestations, end: FeedEnd): void {
  for (const feedId of pendingFeedIds(transaction)) recordFeedEnd(state, feedId, end)
  removePending(state.file, transaction.transaction_hash)
}
