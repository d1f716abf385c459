import type { Pending } from '@wattfeed/casper/transaction'
import type { Attestation } from 'wattfeed'
import { attestationsOf } from './attestPurpose.ts'
import type { AgentState } from './openState.ts'

/** Distinguishes this folder's attestations from those of another program with the same account. */
export interface SentLog {
  /**
   * Returns the time since which attestations are compared, in epoch milliseconds; null before {@link SentLog.begin}.
   */
  since(): number | null
  /** Compares attestations from now on. Does nothing if they are compared already. */
  begin(since: number): void
  /** Returns how many values of a feed were compared; null if none was. */
  countOf(feedId: string): number | null
  /**
   * Returns a feed's values that were not sent from this folder, and records that they were compared.
   *
   * @param count number of the feed's values that are compared now
   */
  compare(feedId: string, values: readonly Attestation[], count: number): readonly Attestation[]
}

/** Opens the log of sent values, which the agent and the commands beside it share. Its methods throw a `StateFileError`. */
export function openSentLog({ file, destinationId }: AgentState): SentLog {
  const { database, read, write } = file
  const countOf = (feedId: string): number | null =>
    read(
      () =>
        database
          .query<{ value_count: number }, [number, string]>(
            'SELECT value_count FROM compared_feed WHERE destination_id = ? AND feed_id = ?',
          )
          .get(destinationId(), feedId)?.value_count ?? null,
    )
  return {
    since: () =>
      read(
        () =>
          database
            .query<{ since: number }, [number]>('SELECT since FROM comparison WHERE destination_id = ?')
            .get(destinationId())?.since ?? null,
      ),
    begin(since) {
      write(() =>
        database
          .query('INSERT OR IGNORE INTO comparison (destination_id, since) VALUES (?, ?)')
          .run(destinationId(), since),
      )
    },
    countOf,
    compare(feedId, values, count) {
      if (values.length === 0 && countOf(feedId) === count) return []
      return write(() => {
        const others = values.filter((value) => !removeSent(feedId, value))
        database
          .query(
            `INSERT INTO compared_feed (destination_id, feed_id, value_count) VALUES (?, ?, ?)
              ON CONFLICT DO UPDATE SET value_count = excluded.value_count`,
          )
          .run(destinationId(), feedId, count)
        return others
      })
    },
  }

  /** Removes one sent value that is equal to a value on chain. Returns whether there was one. */
  function removeSent(feedId: string, { period, amount, source_hash }: Attestation): boolean {
    const { changes } = database
      .query(
        `DELETE FROM sent_value WHERE (transaction_hash, position) IN (
          SELECT transaction_hash, position FROM sent_value
            WHERE destination_id = ? AND feed_id = ? AND period = ? AND amount = ? AND source_hash = ? LIMIT 1)`,
      )
      .run(destinationId(), feedId, period, amount.toString(), source_hash)
    return changes > 0
  }
}

/** Records the values of a transaction before it is sent. Call it in a database transaction. */
export function addSentValues(
  { file, destinationId }: AgentState,
  { transaction_hash, purpose }: Pick<Pending, 'transaction_hash' | 'purpose'>,
): void {
  const insert = file.database.query(
    `INSERT OR IGNORE INTO sent_value
      (transaction_hash, position, destination_id, feed_id, period, amount, source_hash) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  for (const [position, { feed_id, period, amount, source_hash }] of attestationsOf(purpose).entries())
    insert.run(transaction_hash, position, destinationId(), feed_id, period, amount, source_hash)
}

/** Forgets the values of a transaction that was never executed, or failed. */
export function removeSentValues(
  { file }: AgentState,
  { transaction_hash }: Pick<Pending, 'transaction_hash'>,
): void {
  file.database.query('DELETE FROM sent_value WHERE transaction_hash = ?').run(transaction_hash)
}

/** Forgets values that nobody compares, except those in flight. Call it in a database transaction. */
export function pruneSentValues({ file, destinationId }: AgentState): void {
  file.database
    .query(
      `DELETE FROM sent_value WHERE destination_id = ?1
        AND NOT EXISTS (SELECT 1 FROM comparison WHERE destination_id = ?1)
        AND transaction_hash NOT IN (SELECT transaction_hash FROM pending)`,
    )
    .run(destinationId())
}

/** Ends the comparison, because the other members of a committee attest with this account, too. Call it in a database transaction. */
export function endComparison(state: AgentState): void {
  const { file, destinationId } = state
  for (const table of ['comparison', 'compared_feed'])
    file.database.query(`DELETE FROM ${table} WHERE destination_id = ?`).run(destinationId())
  pruneSentValues(state)
}
