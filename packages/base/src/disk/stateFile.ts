import type { Database } from 'bun:sqlite'
import { dirname, join } from 'node:path'
import { assertOptions } from '../argument.ts'
import {
  type DatabaseSchema,
  faultIn,
  type OpenDatabaseOptions,
  openDatabase,
  orStateFileError,
  type StateFileError,
  writeTransaction,
} from './database.ts'
import { acquireLock, findHolder, type LockHolder, removeLeftLocks } from './lockFile.ts'

/** A database that several programs share, each of which owns some rows while it runs. */
export interface StateFile extends Disposable {
  readonly path: string
  readonly database: Database
  /** The token of this process, for columns named `owner`. */
  readonly owner: string
  /**
   * Returns the running process that has a token; null if it has ended.
   *
   * @throws {UnlockableError} if this user cannot know.
   */
  holderOf(owner: string): LockHolder | null
  /**
   * Runs statements in one database transaction. The work must not wait for anything. It runs after what
   * {@link StateFile.writeLater} has left.
   */
  write<T>(work: () => T): T
  /**
   * Like {@link StateFile.write}, but never fails for the file: work that could not be written is repeated before each later
   * write. Returns the error, or null.
   */
  writeLater(work: () => void): StateFileError | null
  /** Runs statements that only read. */
  read<T>(work: () => T): T
}

/** How long another process that starts may hold a new lock here, because it looks for the locks of processes that were killed. */
const MAX_SWEEP_MS = 5_000

/** Returns the folder of the locks by which processes own rows of a file of state. */
export const ownersOf = (path: string): string => join(dirname(path), 'owners')

/**
 * Opens a file of state. The process holds a lock of the kernel until it ends, however it ends, so that others know whether
 * its rows still have an owner.
 */
export function openStateFile(
  path: string,
  schema: DatabaseSchema,
  options: Pick<OpenDatabaseOptions, 'fileSystemOf'> & {
    /** The purpose of this process: a word that others show. */
    purpose?: string | null
  } = {},
): StateFile {
  assertOptions(options, { fileSystemOf: 1, purpose: 1 })
  const { purpose = null, ...others } = options
  using resources = new DisposableStack()
  const database = resources.use(openDatabase(path, schema, others))
  const owner = crypto.randomUUID()
  const folder = ownersOf(path)
  const lockOf = (token: string): string => join(folder, token)
  resources.use(acquireLock(lockOf(owner), purpose, MAX_SWEEP_MS))
  removeLeftLocks(folder, owner)
  const ended = new Set<string>()
  let postponed: (() => void)[] = []

  function write<T>(work: () => T): T {
    // Part of a write that is under way.
    if (database.inTransaction) return work()
    const result = orStateFileError(path, () =>
      writeTransaction(database, () => {
        for (const each of postponed) each()
        return work()
      }),
    )
    postponed = []
    return result
  }

  const opened = resources.move()
  return {
    path,
    database,
    owner,
    holderOf(token) {
      // The lock of this process must not be tried: closing a file releases the locks that the process has on it.
      if (token === owner) return { id: process.pid, host: null, purpose }
      if (ended.has(token)) return null
      const holder = findHolder(lockOf(token))
      if (holder === null) ended.add(token)
      return holder
    },
    write,
    writeLater(work) {
      const fault = faultIn(() => write(work))
      if (fault !== null) postponed.push(work)
      return fault
    },
    read: (work) => orStateFileError(path, work),
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  }
}
