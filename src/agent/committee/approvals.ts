import pLimit from 'p-limit'
import type { PendingStore } from '../../casper/transaction/pendingStore.ts'
import { FeedBackfillingError, type FeedLocks, FeedPendingError } from '../send/feedLocks.ts'
import { type AttestPurpose, type PendingAttestations, pendingFeedIds } from '../send/pendingAttestations.ts'
import type { SettledBlocks } from '../send/settledBlocks.ts'
import { type FeedEnd, type FeedEnds, isBeforeEnd } from './feedEnds.ts'
import { type Refusal, refuse } from './refusal.ts'

/** The approvals that this member has given and that are still live. They are on disk, so that none is forgotten. */
export interface GivenApprovals {
  /** Lists the transactions that this member has approved and that may still be executed. */
  list(): Promise<readonly PendingAttestations[]>
  /** Returns how the feed's last approval ended; null if none has. */
  lastEnd(feedId: string): Promise<FeedEnd | null>
  /** Returns the live approval that excludes an approval of this transaction; null if there is none. */
  findConflict(transaction: PendingAttestations): Promise<Refusal | null>
  /**
   * Records an approval. The caller may send it when this returns null. Check and record are one step under the locks of
   * all its feeds.
   *
   * @param height of the block at whose state root the values were checked
   * @throws what the store throws. The approval may be recorded, so it counts as live.
   */
  claim(transaction: PendingAttestations, block: { height: number; time: number }): Promise<Refusal | null>
  /** Ends a live approval. */
  release(transaction: PendingAttestations, end: FeedEnd): Promise<void>
}

export interface GivenApprovalsOptions {
  store: PendingStore<AttestPurpose>
  /** Lists the transactions that exclude others of their feeds: those of the store, and those that this key has signed alone. */
  listLive: () => Promise<readonly PendingAttestations[]>
  ends: FeedEnds
  /** The blocks that settled transactions, also those that this key has signed alone. */
  settledBlocks: Pick<SettledBlocks, 'read'>
  /** Excludes other processes that use the same state folder. */
  locks: Pick<FeedLocks, 'hold'>
}

/** Creates the record of given approvals. */
export function createGivenApprovals({
  store,
  listLive,
  ends,
  settledBlocks,
  locks,
}: GivenApprovalsOptions): GivenApprovals {
  const oneAtATime = pLimit(1)

  async function findConflict(transaction: PendingAttestations): Promise<Refusal | null> {
    const feedIds = pendingFeedIds(transaction)
    for (const live of await listLive()) {
      if (live.transaction_hash === transaction.transaction_hash) continue
      const [feed_id] = pendingFeedIds(live).filter((feedId) => feedIds.includes(feedId))
      const { transaction_hash, expires_at: until } = live
      if (feed_id !== undefined) return { code: 'conflicting_approval', feed_id, transaction_hash, until }
    }
    return null
  }

  /** A transaction may settle after the block was read. Its block is recorded before the transaction is removed. */
  async function findLag(
    transaction: PendingAttestations,
    block: { height: number; time: number },
  ): Promise<Refusal | null> {
    const settled = await settledBlocks.read()
    for (const feedId of pendingFeedIds(transaction)) {
      for (const end of [await ends.read(feedId), settled.get(feedId) ?? null])
        if (isBeforeEnd(block, end))
          return refuse('stale_node', `block ${end?.height} ended the last transaction of ${feedId}`)
    }
    return null
  }

  /** Holds the locks of all feeds during the work; a feed that another process holds is a conflict. */
  async function holding(
    transaction: PendingAttestations,
    work: () => Promise<Refusal | null>,
  ): Promise<Refusal | null> {
    using held = new DisposableStack()
    try {
      for (const feedId of pendingFeedIds(transaction).sort()) held.use(locks.hold(feedId))
    } catch (error) {
      if (!(error instanceof FeedPendingError || error instanceof FeedBackfillingError)) throw error
      return { code: 'conflicting_approval', feed_id: error.feedId, transaction_hash: null, until: null }
    }
    return await work()
  }

  return {
    list: () => store.list(),
    lastEnd: (feedId) => ends.read(feedId),
    findConflict,
    claim: (transaction, block) =>
      oneAtATime(() =>
        holding(transaction, async () => {
          // In this order: what settles after the first check is found by the second one.
          const refusal = (await findConflict(transaction)) ?? (await findLag(transaction, block))
          if (refusal === null) await store.write(transaction)
          return refusal
        }),
      ),
    release: (transaction, end) =>
      oneAtATime(async () => {
        // The ends come first: after a crash in between, the approval is live and its end is found again.
        for (const feedId of pendingFeedIds(transaction)) await ends.write(feedId, end)
        await store.remove(transaction)
      }),
  }
}
