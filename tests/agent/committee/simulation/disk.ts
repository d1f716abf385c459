import { Database } from 'bun:sqlite'
import { faultIn, type StateFile } from '@wattfeed/base/disk'
import { type AgentState, stateOf, stateSchema } from '../../../../src/agent/state/openState.ts'
import { openStateCopy } from '../../../../src/agent/state/openStateCopy.ts'

/** A member's state folder: the real tables, in memory. */
export interface Disk extends Disposable {
  /**
   * Opens the state for a process.
   *
   * @param atWrite called before and after each write. It throws to let the write fail, or to kill the process there
   */
  open(atWrite: () => void): AgentState
  copy(): Uint8Array
  /** Replaces the content by a copy, or by an empty folder. A process that was killed may still read what it had. */
  restore(copy: Uint8Array | null): void
  /** Lists the hashes of the live approvals, oldest first. */
  approved(): string[]
  /** Lists the leaders of whose equivocation it has the evidence. */
  convicted(): string[]
}

export function createDisk(): Disk {
  const resources = new DisposableStack()
  const load = (copy: Uint8Array | null): Database => {
    const loaded = resources.use(Database.deserialize(copy ?? emptyState(), { strict: true }))
    loaded.run('PRAGMA foreign_keys = ON')
    return loaded
  }
  let database = load(null)
  const all = (column: string, table: string): string[] =>
    database
      .query<{ value: string }, []>(`SELECT ${column} AS value FROM ${table} ORDER BY rowid`)
      .all()
      .map(({ value }) => value)
  return {
    open: (atWrite) => stateOf(openFile(database, atWrite), destination),
    copy: () => database.serialize(),
    restore(copy) {
      database = load(copy)
    },
    approved: () => all('transaction_hash', 'pending'),
    convicted: () => all('leader', 'equivocation'),
    [Symbol.dispose]: () => resources[Symbol.dispose](),
  }
}

const destination = { chainName: 'model', contract: 'model', account: 'model' }

let empty: Uint8Array | null = null

/** Returns a folder that knows its destination, so that opening a member writes nothing. */
function emptyState(): Uint8Array {
  if (empty !== null) return empty
  using file = openStateCopy('/nonexistent/wattfeed.db', stateSchema)
  stateOf(file, destination).destinationId()
  empty = file.database.serialize()
  return empty
}

function openFile(database: Database, atWrite: () => void): StateFile {
  function write<T>(work: () => T): T {
    if (database.inTransaction) return work()
    atWrite()
    const result = database.transaction(work)()
    atWrite()
    return result
  }
  return {
    path: 'wattfeed.db',
    database,
    owner: 'member',
    holderOf: () => null,
    write,
    writeLater: (work) => faultIn(() => write(work)),
    read: (work) => work(),
    // The disk closes it.
    [Symbol.dispose]() {},
  }
}
