import { WattfeedError } from '../../errors.ts'
import type { StateFile } from '../../runtime/stateFile.ts'
import type { AgentState } from './openState.ts'

/** The state folder is new, and what an earlier one has sent may still be executed. Nothing was sent. */
export class NewStateError extends WattfeedError {
  static override readonly name = 'NewStateError'
  readonly code = 'new_state'
  readonly retryable = true

  constructor(
    readonly path: string,
    /** When the agent attests, in epoch milliseconds of chain time. */
    readonly waitsUntil: number,
  ) {
    super(
      `${path} is new, and this key may have sent values that only a lost file knows; values are attested from ${new Date(waitsUntil).toISOString()} on, when nothing sent before can be executed any more`,
    )
  }
}

/** Records that this state's program has registered a feed. Call it in a database transaction. */
export function recordRegistered({ database }: StateFile, chainName: string, feedId: string): void {
  database
    .query('INSERT INTO registered_feed (chain_name, feed_id) VALUES (?, ?) ON CONFLICT DO NOTHING')
    .run(chainName, feedId)
}

/**
 * Asserts that nothing that this account has sent from a lost state can still be executed. The file is older than a
 * transaction's lifetime, or its program has itself registered the feeds.
 *
 * @param blockTime of the view that the values are based on. A lagging node may first show an old block, so that the lifetime
 * begins at the later of that and the machine's clock.
 * @throws {NewStateError}
 */
export function assertStateIsOld(
  { file, destination }: AgentState,
  { feedIds, blockTime, lifetimeMs }: { feedIds: readonly string[]; blockTime: number; lifetimeMs: number },
): void {
  const { database } = file
  const readOrigin = database.query<{ created_at: number; first_block_time: number | null }, []>(
    'SELECT created_at, first_block_time FROM origin',
  )
  const origin = file.read(() => readOrigin.get())
  if (origin === null) return
  if (origin.first_block_time === null)
    file.write(() =>
      database.query('UPDATE origin SET first_block_time = ? WHERE first_block_time IS NULL').run(blockTime),
    )
  const readyAt = Math.max(origin.created_at, origin.first_block_time ?? blockTime) + lifetimeMs
  if (blockTime >= readyAt) return
  const isOwn = (feedId: string): boolean =>
    database
      .query('SELECT 1 FROM registered_feed WHERE chain_name = ? AND feed_id = ?')
      .get(destination.chainName, feedId) !== null
  if (!file.read(() => feedIds.every(isOwn))) throw new NewStateError(file.path, readyAt)
}
