import { defineError } from '@wattfeed/base'
import type { StateFile } from '@wattfeed/base/disk'
import type { Destination } from '@wattfeed/casper/sqlite'
import { isPublicNetwork } from '../plan/assertAttestable.ts'
import type { AgentState } from './openState.ts'

/** The state folder is new, and what an earlier one has sent may still be executed. Nothing was sent. */
export const NewStateError = defineError(
  'NewStateError',
  'new_state',
  (facts: {
    path: string
    /** When the agent attests, in epoch milliseconds of chain time. */
    waitsUntil: number
    /** The remaining time, in milliseconds. */
    waitMs: number
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

/** How much later than its time a block may still appear. */
const FINALIZED_MS = 60_000

export interface NewStateCheck {
  feedIds: readonly string[]
  /** Package hash of the FeedRegistry, 64 hex digits. */
  feedRegistry: string
  /**
   * Of the view that the values are based on. A lagging node may first show an old block, so that the lifetime begins at the later
   * of that and the machine's clock.
   */
  blockTime: number
  /** Epoch milliseconds of the machine's clock. */
  now: number
  /** Of a transaction, in milliseconds. */
  lifetimeMs: number
}

/**
 * Asserts that nothing that this account has sent from a lost state can still be executed. The file is older than a
 * transaction's lifetime, or its program has itself registered the feeds. That age is measured in chain time, on other networks
 * than the public ones also by the machine's clock.
 *
 * @throws {NewStateError}
 */
export function assertStateIsOld(
  { file, destination }: AgentState,
  { feedIds, feedRegistry, blockTime, now, lifetimeMs }: NewStateCheck,
): void {
  const { database } = file
  const readOrigin = database.query<{ created_at: number; first_block_time: number | null }, []>(
    'SELECT created_at, first_block_time FROM origin',
  )
  const origin = file.read(() => readOrigin.get())
  if (origin === null) return
  const { created_at, first_block_time } = origin
  const isFarAhead = first_block_time === null || first_block_time > blockTime + FAR_AHEAD_MS
  const first = isFarAhead ? blockTime : first_block_time
  // The clock was ahead when the file was created, and was set since.
  const created = Math.min(created_at, now)
  if (first !== first_block_time || created !== created_at)
    file.write(() =>
      database.query('UPDATE origin SET created_at = ?, first_block_time = ?').run(created, first),
    )
  const readyAt = Math.max(created, first) + lifetimeMs
  // A network that makes blocks only for transactions would never have the next one.
  const time = isPublicNetwork(destination.chainName) ? blockTime : Math.max(blockTime, now - FINALIZED_MS)
  if (time >= readyAt) return
  const isOwn = (feedId: string): boolean =>
    database
      .query('SELECT 1 FROM registered_feed WHERE chain_name = ? AND registry = ? AND feed_id = ?')
      .get(destination.chainName, feedRegistry, feedId) !== null
  if (!file.read(() => feedIds.every(isOwn)))
    throw new NewStateError({ path: file.path, waitsUntil: readyAt, waitMs: readyAt - time })
}
