import { otherHolder } from '@wattfeed/casper/sqlite'
import type { Pending } from '@wattfeed/casper/transaction'
import { createApprovalRows, endApproval } from '../state/approvals.ts'
import { pendingFeedIds } from '../state/attestPurpose.ts'
import { type FeedEnd, isBeforeEnd, readFeedEnd } from '../state/feedEnds.ts'
import type { AgentState } from '../state/openState.ts'
import { readSettledBlocks } from '../state/settledBlocks.ts'
import { type Refusal, refuse } from './refusal.ts'

/**
 * The approvals that this member has given and that are still live. They are on disk, so that none is forgotten. The methods
 * throw a `StateFileError`.
 */
export interface GivenApprovals {
  /** Lists those of all accounts of the file, so that the ones of an account that is no longer used end, too. */
  list(): readonly Pending[]
  /** Returns how the feed's last approval ended; null if none has. */
  lastEnd(feedId: string): FeedEnd | null
  /** Returns what excludes an approval of this transaction; null if nothing does. */
  findConflict(transaction: Pending): Refusal | null
  /**
   * Records an approval. The caller may send it when this returns null. Check and record are one step.
   *
   * @param block at whose state root the values were checked
   */
  claim(
    transaction: Pending,
    block: { height: number; time: number },
  ): Refusal | null | Promise<Refusal | null>
  /** Ends a live approval, for the account that gave it. */
  release(transaction: Pending, end: FeedEnd): void
}

export function createGivenApprovals(state: AgentState): GivenApprovals {
  const { file, destination } = state
  const rows = createApprovalRows(state)

  function findConflict(transaction: Pending): Refusal | null {
    for (const feed_id of pendingFeedIds(transaction)) {
      const live = rows.ofKey(feed_id)
      if (live !== null && live.transaction_hash !== transaction.transaction_hash) {
        const { transaction_hash, expires_at: until } = live
        return { code: 'conflicting_approval', feed_id, transaction_hash, until }
      }
      if (otherHolder(file, destination, feed_id) !== null)
        return { code: 'conflicting_approval', feed_id, transaction_hash: null, until: null }
    }
    return null
  }

  /** A transaction may settle after the block was read. Its block is recorded in the step that removes it. */
  function findLag(transaction: Pending, block: { height: number; time: number }): Refusal | null {
    const settled = readSettledBlocks(state)
    for (const feedId of pendingFeedIds(transaction)) {
      const last = settled.get(feedId)
      const settledEnd = last === undefined ? null : { height: last.height, before: last.expiresAt }
      for (const end of [readFeedEnd(state, feedId), settledEnd])
        if (isBeforeEnd(block, end))
          return refuse('stale_node', `block ${end?.height} ended the last transaction of ${feedId}`)
    }
    return null
  }

  return {
    list: () => file.read(() => rows.list().map(({ pending }) => pending)),
    lastEnd: (feedId) => readFeedEnd(state, feedId),
    findConflict: (transaction) => file.read(() => findConflict(transaction)),
    claim: (transaction, block) =>
      file.write(() => {
        const refusal = findConflict(transaction) ?? findLag(transaction, block)
        if (refusal === null) rows.insert(transaction)
        return refusal
      }),
    release: ({ transaction_hash }, end) => file.write(() => endApproval(state, transaction_hash, end)),
  }
}
