import { defineError } from '@wattfeed/base'
import type { StateFile } from '@wattfeed/base/disk'
import type { Destination } from '@wattfeed/casper/sqlite'
import type { AgentState } from './openState.ts'

/** The state folder is new, and what an earlier one has sent may still be executed. Nothing was sent. */
export const NewStateError = defineError(
  'NewStateError',
  'new_state',
  (facts: {
    path: string
    /** When the agent attests, in epoch milliseconds of chain time. */
    waitsUntil: number
  }) =>
    `${facts.path} is new, and this key may have sent values that only a lost file knows; values are attested from ${new Date(facts.waitsUntil).toISOString()} on, when nothing sent before can be executed any more`,
  { retryable: true },
)

/** Records that this state's program has registered a feed. Call it in a database transaction. */
export function recordRegistered(
  { database }: StateFile,
  { chainName, contract }: Pick<Destination, 'chainName' | 'contract'>,
  feedId: string,
): void {
  database
    .query(
      'INSERT INTO registered_feed (chain_name, registry, feed_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    )
    .run(chainName, contract, feedId)
}

/** A first block that is so much later than a present one was a lie, or of another chain. */
const FAR_AHEAD_MS = 24 * 60 * 60_000

export interface NewStateCheck {
  feedIds: readonly string[]
  /** Package hash of the FeedRegistry, 64 hex digits. */
  feedRegistry: string
  /**
   * Of the view that the values are based on. A lagging node may first show an old block, so that the lifetime begins at the later
   * of that and the machine's clock.
   */
  blockTime: number
  /** Of a transaction, in milliseconds. */
  lifetimeMs: number
}

/**
 * Asserts that nothing that this account has sent from a lost state can still be executed. The file is older than a
 * transaction's lifetime, or its program has itself registered the feeds.
 *
 * @throws {NewStateError}
 */
export function assertStateIsOld(
  { file, destination }: AgentState,
  { feedIds, feedRegistry, blockTime, lifetimeMs }: NewStateCheck,
): void {
  const { database } = file
  const readOrigin = database.query<{ created_at: number; first_block_time: number | null }, []>(
    'SELECT created_at, first_block_time FROM origin',
  )
  const origin = file.read(() => readOrigin.get())
  if (origin === null) return
  const { created_at, first_block_time: stored } = origin
  const first = stored === null || stored > blockTime + FAR_AHEAD_MS ? blockTime : stored
  if (first !== stored) file.write(() => database.query('UPDATE origin SET first_block_time = ?').run(first))
  const readyAt = Math.max(created_at, first) + lifetimeMs
  if (blockTime >= readyAt) return
  const isOwn = (feedId: string): boolean =>
    database
      .query('SELECT 1 FROM registered_feed WHERE chain_name = ? AND registry = ? AND feed_id = ?')
      .get(destination.chainName, feedRegistry, feedId) !== null
  if (!file.read(() => feedIds.every(isOwn)))
    throw new NewStateError({ path: file.path, waitsUntil: readyAt })
}
