import type { AgentState } from './openState.ts'

/** How a feed's last approval ended. */
export interface FeedEnd {
  /** Height of the block that ended the approval. */
  readonly height: number
  /** Time of a block at or after it, in epoch milliseconds. */
  readonly before: number
  /** When its transaction expired or would have, in epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * Whether a block is before the one that ended a feed's last approval. Its state may lack the transaction, so a plan at its
 * root could attest the value again. A lower block that is later belongs to another chain, such as a restarted development
 * chain.
 */
export const isBeforeEnd = (
  block: { height: number; time: number },
  end: Pick<FeedEnd, 'height' | 'before'> | null,
): boolean => end !== null && block.height < end.height && block.time <= end.before

/** Returns how a feed's last approval ended; null if none has. @throws {StateFileError} */
export function readFeedEnd({ file, destinationId }: AgentState, feedId: string): FeedEnd | null {
  return file.read(() =>
    file.database
      .query<FeedEnd, [number, string]>(
        'SELECT height, before, expires_at AS expiresAt FROM feed_end WHERE destination_id = ? AND feed_id = ?',
      )
      .get(destinationId(), feedId),
  )
}

/**
 * Records how an approval ended, for each of its feeds and for the account that gave it: another account of the file may end it.
 * Call it in the database transaction that removes the approval, before that.
 */
export function recordFeedEnds(
  { database }: AgentState['file'],
  transactionHash: string,
  { height, before, expiresAt }: FeedEnd,
): void {
  database
    .query(
      `INSERT OR REPLACE INTO feed_end (destination_id, feed_id, height, before, expires_at)
        SELECT destination_id, key, ?, ?, ? FROM pending_key WHERE transaction_hash = ?`,
    )
    .run(height, before, expiresAt, transactionHash)
}
