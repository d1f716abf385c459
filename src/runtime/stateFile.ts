import { Database } from 'bun:sqlite'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type DatabaseSchema,
  type OpenDatabaseOptions,
  openDatabase,
  orStateFileError,
  StateFileError,
  writeTransaction,
} from './database.ts'
import { acquireLock, findHolder, LockedError, type LockHolder } from './lockFile.ts'

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
   * Does the same, and if the file cannot be written, again before each later write until it can. Returns the error, or null.
   */
  writeLater(work: () => void): StateFileError | null
  /** Runs statements that only read. */
  read<T>(work: () => T): T
}

/**
 * Opens a file of state. The process holds a lock of the kernel until it ends, however it ends, so that others know whether
 * its rows still have an owner.
 */
export function openStateFile(
  path: string,
  schema: DatabaseSchema,
  {
    purpose = null,
    ...options
  }: Pick<OpenDatabaseOptions, 'fileSystemOf'> & {
    /** The purpose of this process: a word that others show. */
    purpose?: string | null
  } = {},
): StateFile {
  using resources = new DisposableStack()
  const database = resources.use(openDatabase(path, schema, options))
  const owner = crypto.randomUUID()
  const folder = join(dirname(path), 'owners')
  const lockOf = (token: string): string => join(folder, token)
  resources.use(acquireLock(lockOf(owner), purpose))
  removeLeft(folder, owner)
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
      try {
        write(work)
        return null
      } catch (error) {
        if (!(error instanceof StateFileError)) throw error
        postponed.push(work)
        return error
      }
    },
    read: (work) => orStateFileError(path, work),
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  }
}

/**
 * Opens a copy of a file of state in memory, as of now. It can be written, and every change is lost. Without the file, the copy
 * is empty.
 */
export function openSnapshot(path: string, schema: DatabaseSchema): StateFile {
  using resources = new DisposableStack()
  const database = resources.use(copyToMemory(path, schema))
  database.run('PRAGMA foreign_keys = ON')
  const write = <T>(work: () => T): T => orStateFileError(path, () => database.transaction(work)())
  const opened = resources.move()
  return {
    path,
    database,
    owner: crypto.randomUUID(),
    holderOf: (token) => findHolder(join(dirname(path), 'owners', token)),
    write,
    writeLater(work) {
      write(work)
      return null
    },
    read: (work) => orStateFileError(path, work),
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  }
}

/** A file that nobody has open is read without creating SQLite's files beside it. */
function copyToMemory(path: string, schema: DatabaseSchema): Database {
  if (!existsSync(path)) {
    const database = new Database(':memory:', { strict: true })
    for (const statements of schema.migrations) database.run(statements)
    return database
  }
  const isOpen = (): boolean => existsSync(`${path}-wal`)
  try {
    const database = isOpen() ? null : copy(path, schema, { isImmutable: true })
    if (database !== null && !isOpen()) return database
  } catch (error) {
    // Another process has opened it meanwhile.
    if (!isOpen()) throw error
  }
  return copy(path, schema, { isImmutable: false })
}

function copy(
  path: string,
  schema: DatabaseSchema,
  options: Required<Pick<OpenDatabaseOptions, 'isImmutable'>>,
): Database {
  using source = openDatabase(path, schema, { ...options, isReadOnly: true })
  return orStateFileError(path, () => {
    const bytes = source.serialize()
    // The format's version in the header: a file in WAL mode cannot be opened in memory.
    bytes.fill(1, 18, 20)
    return Database.deserialize(bytes, { strict: true })
  })
}

/** Removes the locks of processes that were killed. */
function removeLeft(folder: string, own: string): void {
  for (const name of readdirSync(folder))
    if (name.endsWith('.db') && name !== `${own}.db`) removeIfFree(join(folder, name.slice(0, -'.db'.length)))
}

/** A lock that is released removes its files. */
function removeIfFree(path: string): void {
  try {
    acquireLock(path)[Symbol.dispose]()
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
  }
}
