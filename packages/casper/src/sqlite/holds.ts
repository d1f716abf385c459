import type { LockHolder, StateFile } from '@wattfeed/base/disk'
import { type Destination, destinationId } from './pendingRows.ts'

/**
 * Creates the keys that this process holds: rows that other processes see, and a count in memory, because it may hold a key
 * several times. Call `write` and `remove` in a database transaction.
 */
export function createHolds(state: StateFile, destination: Destination) {
  const { database, owner } = state
  const held = new Map<string, number>()
  return {
    write(keys: readonly string[]): void {
      const insert = database.query(
        'INSERT OR REPLACE INTO held_key (destination_id, key, owner) VALUES (?, ?, ?)',
      )
      for (const key of keys) insert.run(destinationId(state, destination), key, owner)
    },
    count(keys: readonly string[]): void {
      for (const key of keys) held.set(key, (held.get(key) ?? 0) + 1)
    },
    /** Returns the keys that this process does not hold any more. */
    uncount(keys: readonly string[]): string[] {
      return keys.filter((key) => {
        const left = (held.get(key) ?? 1) - 1
        if (left > 0) held.set(key, left)
        else held.delete(key)
        return left === 0
      })
    },
    /** Removes keys, unless they were taken again meanwhile. */
    remove(keys: readonly string[]): void {
      const remove = database.query('DELETE FROM held_key WHERE destination_id = ? AND key = ? AND owner = ?')
      for (const key of keys.filter((each) => !held.has(each)))
        remove.run(destinationId(state, destination), key, owner)
    },
  }
}

export type Holds = ReturnType<typeof createHolds>

/** Returns the other process that holds a key; null if there is none. */
export function otherHolder(state: StateFile, destination: Destination, key: string): LockHolder | null {
  const row = state.database
    .query<{ owner: string }, [number, string]>(
      'SELECT owner FROM held_key WHERE destination_id = ? AND key = ?',
    )
    .get(destinationId(state, destination), key)
  return row === null || row.owner === state.owner ? null : state.holderOf(row.owner)
}
