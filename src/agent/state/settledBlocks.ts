import { defineError } from '@wattfeed/base'
import type { AgentState } from './openState.ts'

/** The block that settled a feed's last transaction. */
export interface SettledBlock {
  readonly height: number
  /** The transaction's expiry in epoch milliseconds. The block is not later. */
  readonly expiresAt: number
}

/** A lagging node: its newest block is before a known one, so its values must not be used. */
export const LaggingValueError = defineError(
  'LaggingValueError',
  'lagging_value',
  (facts: {
    feedId: string
    /** The height of the block with the feed's last transaction. */
    settledHeight: number
    /** The height of the node's newest block. */
    height: number
  }) =>
    `the node lags: its newest block is ${facts.height}, and block ${facts.settledHeight} has the last transaction of ${facts.feedId}; the feed will be polled again`,
  { retryable: true },
)

/** A block at which the chain is read, and the known settled blocks. */
export interface DatedView {
  /** Its time is in epoch milliseconds. */
  readonly block: { readonly height: number; readonly time: number }
  readonly settled: ReadonlyMap<string, SettledBlock>
}

/**
 * Returns the error if a block is before the one that settled a feed's last transaction. A lower block that is later than
 * that transaction's expiry belongs to another chain, such as a restarted development chain.
 */
function lagOf(feedId: string, { block, settled }: DatedView): Error | null {
  const last = settled.get(feedId)
  if (last === undefined || block.height >= last.height || block.time > last.expiresAt) return null
  return new LaggingValueError({ feedId, settledHeight: last.height, height: block.height })
}

/** Asserts that a block is not before the one that settled a feed's last transaction. @throws {LaggingValueError} */
export function assertNotBefore(feedId: string, view: DatedView): void {
  const lag = lagOf(feedId, view)
  if (lag !== null) throw lag
}

/** Returns the error if a block is before the one that settled any feed's last transaction; otherwise null. */
export function findLag(view: DatedView): Error | null {
  for (const feedId of view.settled.keys()) {
    const lag = lagOf(feedId, view)
    if (lag !== null) return lag
  }
  return null
}

/** Returns the blocks that settled each feed's last transaction, by feed id. @throws {StateFileError} */
export function readSettledBlocks({ file, destinationId }: AgentState): Map<string, SettledBlock> {
  const rows = file.read(() =>
    file.database
      .query<SettledBlock & { feed_id: string }, [number]>(
        'SELECT feed_id, height, before AS expiresAt FROM settled_block WHERE destination_id = ?',
      )
      .all(destinationId()),
  )
  return new Map(rows.map(({ feed_id, height, expiresAt }) => [feed_id, { height, expiresAt }]))
}

/** Records the block of a transaction. Call it in the database transaction that settles the sent one. */
export function recordSettledBlock(
  { file, destinationId }: AgentState,
  feedIds: readonly string[],
  { height, expiresAt }: SettledBlock,
): void {
  // Compares by expiry, because heights decrease when a chain is restarted.
  const upsert = file.database.query(
    `INSERT INTO settled_block (destination_id, feed_id, height, before) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET height = excluded.height, before = excluded.before WHERE excluded.before >= before`,
  )
  for (const feedId of feedIds) upsert.run(destinationId(), feedId, height, expiresAt)
}
