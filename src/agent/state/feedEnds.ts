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

/** Records how a feed's last approval ended. Call it in the database transaction that removes the approval. */
export function recordFeedEnd(
  { file, destinationId }: AgentState,
  feedId: string,
  { height, before, expiresAt }: FeedEnd,
): void {
  file.database
    .query(
      'INSERT OR REPLACE INTO feed_end (destination_id, feed_id, height, before, expires_at) VALUES (?, ?, ?, ?, ?)',
    )
    .run(destinationId(), feedId, height, before, expiresAt)
}
