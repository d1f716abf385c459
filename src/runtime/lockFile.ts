import { constants, Database, SQLiteError } from 'bun:sqlite'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { WattfeedError } from '../errors.ts'
import { systemReason } from './systemReason.ts'

/** Another process holds the lock. */
export class LockedError extends WattfeedError {
  static override readonly name = 'LockedError'
  readonly code = 'locked'
  readonly retryable = true

  constructor(
    readonly path: string,
    /** The other process's id on its host; null if unknown. */
    readonly holder: number | null,
    /** Its host's name, usually a container's id; null if unknown. */
    readonly host: string | null,
    wayOut = 'wait for its end, or stop it',
  ) {
    const place = host === null || host === hostname() ? '' : ` on ${host}`
    super(
      `${path} is held by ${holder === null ? 'another process' : `process ${holder}${place}`}; ${wayOut}`,
    )
  }
}

/** A file cannot be locked: it or its folder is read-only or another user's, or its file system has no locks. */
export class UnlockableError extends WattfeedError {
  static override readonly name = 'UnlockableError'
  readonly code = 'unlockable'
  readonly retryable = false

  constructor(
    readonly path: string,
    /** SQLite's message. */
    readonly reason: string,
  ) {
    super(`${path} cannot be locked (${reason}): this user must be able to write it and its folder`)
  }
}

/** Protects held locks from garbage collection, which would release them. */
const held = new Set<Database>()

/**
 * Locks `path` for this process until the lock is disposed of or the process ends, however it ends.
 *
 * The kernel holds the lock, on an empty SQLite database `<path>.db`, so it works across containers that share the
 * folder. `path` itself only shows people the holder's process id and host. Keep the folder on a local disk: file locks
 * are broken on many NFS servers (https://www.sqlite.org/faq.html#q5), and there two may hold it at once. Nothing else in
 * this process may open the database: on POSIX, closing any handle of a file releases its locks.
 *
 * @throws {LockedError} at once, if it is held already, also by this process.
 * @throws {UnlockableError} if the file or its folder is read-only.
 *
 * @example
 * ```ts
 * using _ = acquireLock(join(stateDir, 'lock'))
 * ```
 */
export function acquireLock(path: string): Disposable {
  mkdirSync(dirname(path), { recursive: true })
  try {
    return hold(path)
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    if (error.code !== 'SQLITE_BUSY') throw new UnlockableError(`${path}.db`, error.message)
    const { id, host } = readHolder(path)
    throw new LockedError(path, id, host)
  }
}

function hold(path: string): Disposable {
  const file = `${path}.db`
  using resources = new DisposableStack()
  const database = resources.use(new Database(file, { create: true, readwrite: true }))
  lock(database)
  // The previous holder removed the file after we opened it: the next process would lock a new one.
  if (isRemoved(database)) return hold(path)
  resources.defer(() => rmSync(file, { force: true }))
  chmodSync(file, 0o600)
  refuseEarlierVersion(path)
  writeHolder(path)
  resources.defer(() => rmSync(path, { force: true }))
  held.add(database)
  resources.defer(() => held.delete(database))
  return resources.move()
}

function lock(database: Database): void {
  // Keeps the journal out of the folder.
  database.run('PRAGMA journal_mode = MEMORY')
  database.run('BEGIN EXCLUSIVE')
  // Never committed. BEGIN also succeeds on a read-only file; this write does not.
  database.run('PRAGMA user_version = 1')
}

function isRemoved(database: Database): boolean {
  const answer = new Int32Array(2)
  database.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, answer)
  return answer[0] !== 0
}

/** Versions up to 0.1.0 had no database, only a bare process id at `path`. */
function refuseEarlierVersion(path: string): void {
  const { id, host } = readHolder(path)
  // In a restarted container, the previous process had our id.
  if (id === null || host !== null || id === process.pid || !isAlive(id)) return
  throw new LockedError(
    path,
    id,
    null,
    'wait for its end, stop it, or remove the file if that is another program',
  )
}

/** Replaces the text atomically. An earlier version that finds it does not run. */
function writeHolder(path: string): void {
  const own = `${path}.new`
  writeFileSync(own, `${process.pid} ${hostname()}\n`, { mode: 0o600 })
  renameSync(own, path)
}

/** Reads the holder; nulls if the text is missing or not understood. */
function readHolder(path: string): { id: number | null; host: string | null } {
  try {
    const [, id, host = null] = /^(\d+)(?: ([\w.-]+))?\n$/.exec(readFileSync(path, 'utf8')) ?? []
    return { id: id === undefined ? null : Number(id), host }
  } catch {
    return { id: null, host: null }
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // A process that we may not signal is alive.
    return systemReason(error) === 'EPERM'
  }
}
