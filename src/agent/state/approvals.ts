import { createPendingRows, type PendingRows, removePending } from '@wattfeed/casper/sqlite'
import type { Pending } from '@wattfeed/casper/transaction'
import { AttestPurpose, attestedFeedIds } from './attestPurpose.ts'
import { type FeedEnd, recordFeedEnds } from './feedEnds.ts'
import type { AgentState } from './openState.ts'

/** Returns the transactions that members have approved and that may still be executed, as rows. */
export const createApprovalRows = ({ file, destination }: AgentState): PendingRows =>
  createPendingRows({
    state: file,
    destination,
    purpose: AttestPurpose,
    role: 'approval',
    keysOf: attestedFeedIds,
  })

/** Returns whether this account has a live approval of one of the feeds. */
export const hasApproved = (state: AgentState, feedIds: readonly string[]): boolean =>
  listApprovals(state, feedIds).length > 0

/** Lists the live approvals of the feeds that this account has. The file may have those of others, which their members end. */
function listApprovals(state: AgentState, feedIds: readonly string[]): Pending[] {
  const rows = createApprovalRows(state)
  return state.file.read(() => {
    const own = new Set(feedIds.map((feedId) => rows.ofKey(feedId)?.transaction_hash))
    return rows.list().flatMap(({ pending }) => (own.has(pending.transaction_hash) ? pending : []))
  })
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
    for (const { transaction_hash, expires_at: expiresAt } of expired)
      endApproval(state, transaction_hash, { height, before: time, expiresAt })
  })
}

/** Records how an approval ended, and removes it. Call it in a database transaction. */
export function endApproval({ file }: AgentState, transactionHash: string, end: FeedEnd): void {
  recordFeedEnds(file, transactionHash, end)
  removePending(file, transactionHash)
}
