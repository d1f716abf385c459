import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isSystemError, systemReason } from '@wattfeed/base'
import {
  type DatabaseSchema,
  faultIn,
  findHolder,
  type OpenDatabaseOptions,
  openDatabase,
  orStateFileError,
  ownersOf,
  type StateFile,
  StateFileError,
} from '@wattfeed/base/disk'

/**
 * Opens a copy of a file of state in memory, as of now. It can be written, and every change is lost. Without the file, the copy
 * is empty.
 *
 * @throws {StateFileError} also if this user cannot know whether there is a file
 */
export function openStateCopy(path: string, schema: DatabaseSchema): StateFile {
  using resources = new DisposableStack()
  const database = resources.use(copyToMemory(path, schema))
  migrate(database, schema)
  database.run('PRAGMA foreign_keys = ON')
  const write = <T>(work: () => T): T => orStateFileError(path, () => database.transaction(work)())
  const opened = resources.move()
  return {
    path,
    database,
    // Owns rows of the copy only.
    owner: crypto.randomUUID(),
    holderOf: (token) => findHolder(join(ownersOf(path), token)),
    write,
    writeLater: (work) => faultIn(() => write(work)),
    read: (work) => orStateFileError(path, work),
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  }
}

/** Returns whether a file of state exists. @throws {StateFileError} if this user cannot know. */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (!isSystemError(error)) throw error
    const rule = `cannot be read (${systemReason(error)}): run this as the agent's user, or let this user read the folder`
    throw new StateFileError({ path, rule })
  }
}

/** Brings the tables of a copy up to date: its file may be of an earlier version, or there is none. */
function migrate(database: Database, { migrations }: DatabaseSchema): void {
  const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get()
  for (const statements of migrations.slice(row?.user_version ?? 0)) database.run(statements)
}

/** A file that nobody has open is read without creating SQLite's files beside it. */
function copyToMemory(path: string, schema: DatabaseSchema): Database {
  if (!isThere(path)) return new Database(':memory:', { strict: true })
  // A process has it open, or ended without closing it.
  const hasWal = (): boolean => existsSync(`${path}-wal`)
  try {
    const database = hasWal() ? null : copy(path, schema, { isImmutable: true })
    if (database !== null && !hasWal()) return database
  } catch (error) {
    // Another process has opened it meanwhile.
    if (!hasWal()) throw error
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
