import { Database, SQLiteError, constants as sqlite } from 'bun:sqlite'
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { WattfeedError } from '../errors.ts'
import { isSystemError, systemReason, writeCure } from '../systemReason.ts'
import { isDiskFull } from './database.ts'

export interface LockHolder {
  /** The process's id on its host; null if unknown. */
  readonly id: number | null
  /** Its host's name, usually a container's id; null if unknown. */
  readonly host: string | null
  /** The purpose of the lock, such as `agent`; null if it is not stated. */
  readonly purpose: string | null
}

/** Formats the holder of a lock: `process 12 on web-1 (agent)`. */
export function formatHolder({ id, host, purpose }: LockHolder): string {
  if (id === null) return 'another process'
  const place = host === null || host === hostname() ? '' : ` on ${host}`
  return `process ${id}${place}${purpose === null ? '' : ` (${purpose})`}`
}

export class LockedError extends WattfeedError {
  static override readonly name = 'LockedError'
  readonly code = 'locked'
  readonly retryable = true
  readonly holder: number | null
  readonly host: string | null
  readonly purpose: string | null

  constructor(
    readonly path: string,
    holder: LockHolder,
  ) {
    super(`${path} is locked by ${formatHolder(holder)}; wait until it ends, or stop it`)
    this.holder = holder.id
    this.host = holder.host
    this.purpose = holder.purpose
  }
}

/** A file cannot be locked: it or its folder is read-only or another user's, or its file system has no locks. */
export class UnlockableError extends WattfeedError {
  static override readonly name = 'UnlockableError'
  readonly code = 'unlockable'
  readonly retryable = false

  constructor(
    readonly path: string,
    /** SQLite's or the system's message. */
    readonly reason: string,
    cure = 'this user must be able to write it and its folder',
  ) {
    super(`${path} cannot be locked (${reason}): ${cure}`)
  }
}

/** Protects held locks from garbage collection, which would release them. */
const held = new Set<Database>()

/**
 * Locks `path` for this process until the lock is disposed of or the process ends, however it ends.
 *
 * The kernel holds the lock, on an empty SQLite database `<path>.db`, so it works across containers that share the
 * folder. `path` itself only shows people the holder's process id, host and purpose, a word.
 *
 * Keep the folder on a local disk: file locks are broken on many NFS servers (https://www.sqlite.org/faq.html#q5). Two
 * processes may hold the lock there. Nothing else in this process may open the database: on POSIX, closing any handle of a file releases its locks.
 *
 * @param waitMs how long to wait, without another task getting a turn, until a lock that is held is free
 * @throws {LockedError} if it is held longer, even by this process.
 * @throws {UnlockableError} if the file or its folder is read-only, or the folder cannot be created.
 */
export function acquireLock(path: string, purpose: string | null = null, waitMs = 0): Disposable {
  try {
    mkdirSync(dirname(path), { recursive: true })
    return hold(path, purpose, waitMs)
  } catch (error) {
    if (isSystemError(error))
      throw new UnlockableError(`${path}.db`, error.message, writeCure(systemReason(error)))
    if (!(error instanceof SQLiteError)) throw error
    if (error.code === 'SQLITE_FULL' || (error.code !== 'SQLITE_BUSY' && isDiskFull(path)))
      throw new UnlockableError(`${path}.db`, error.message, writeCure('SQLITE_FULL'))
    if (error.code !== 'SQLITE_BUSY') throw new UnlockableError(`${path}.db`, error.message)
    throw new LockedError(path, readHolder(path))
  }
}

/**
 * Returns the holder of a lock; null if nobody holds it. Changes nothing.
 *
 * @throws {UnlockableError} if this user cannot know: only who may lock a file sees its lock.
 */
export function findHolder(path: string): LockHolder | null {
  const file = `${path}.db`
  for (let looks = 1; ; looks += 1)
    try {
      tryLock(file)
      return null
    } catch (error) {
      if (error instanceof SQLiteError && error.code === 'SQLITE_BUSY') return readHolder(path)
      if (!(error instanceof SQLiteError) && !isSystemError(error)) throw error
      // The holder may have ended meanwhile, and removed the file. Then the next look finds none, or that of another.
      if (looks === MAX_LOOKS) throw new UnlockableError(file, error.message)
    }
}

const MAX_LOOKS = 3

/** Locks an existing file for a moment. @throws {SQLiteError} with `SQLITE_BUSY` if it is held */
function tryLock(file: string): void {
  assertNothingElse(file)
  // Without the file, nobody holds the lock. That is the usual case, and avoids locking.
  if (statOf(file) === undefined) return
  accessSync(file, constants.R_OK | constants.W_OK)
  using database = new Database(file, { create: false, readwrite: true })
  database.run('PRAGMA journal_mode = MEMORY')
  database.run('BEGIN IMMEDIATE')
}

/**
 * Removes the locks in a folder whose processes were killed: empty files that are named after a token. All else stays.
 *
 * @param own the token of this process, whose lock stays
 */
export function removeLeftLocks(folder: string, own: string): void {
  for (const name of readdirSync(folder)) {
    const [, token] = LOCK_NAME.exec(name) ?? []
    if (token !== undefined && token !== own && isLock(join(folder, name))) removeIfFree(join(folder, token))
  }
}

/** The file of a lock by a random UUID. */
const LOCK_NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.db$/

/** Returns whether a file may be a lock: nothing is ever written into one. Also if it is missing. */
function isLock(file: string): boolean {
  const found = statOf(file)
  return found === undefined || (found.isFile() && found.size === 0)
}

/** A lock that is released removes its files. */
function removeIfFree(path: string): void {
  try {
    acquireLock(path)[Symbol.dispose]()
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
  }
}

function hold(path: string, purpose: string | null, waitMs: number): Disposable {
  using resources = openLocked(path, waitMs)
  resources.defer(() => rmSync(`${path}.db`, { force: true }))
  writeHolder(path, purpose)
  resources.defer(() => rmSync(path, { force: true }))
  return resources.move()
}

/**
 * A link would give its target the permissions of a lock, and a file with content would be removed with it.
 *
 * @throws {UnlockableError} if something else than a lock is there
 */
function assertNothingElse(file: string): void {
  if (!isLock(file)) throw new UnlockableError(file, 'it is not an empty regular file', 'move it away')
}

/** Undefined if nothing is there. Unlike `existsSync`, it throws if this user cannot know. */
const statOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })

/** @throws {LockedError} if holders that come and go remove the file each time. */
function openLocked(path: string, waitMs: number): DisposableStack {
  for (let opens = 0; opens < MAX_OPENS; opens += 1) {
    const resources = openOnce(`${path}.db`, waitMs)
    if (resources !== null) return resources
  }
  throw new LockedError(path, readHolder(path))
}

/** A few suffice among ordinary holders. */
const MAX_OPENS = 100

/** Opens and locks the file; null if the previous holder removed it meanwhile, because the next process would lock a new one. */
function openOnce(file: string, waitMs: number): DisposableStack | null {
  using resources = new DisposableStack()
  assertNothingElse(file)
  const database = resources.use(new Database(file, { create: true, readwrite: true }))
  database.run(`PRAGMA busy_timeout = ${waitMs}`)
  lock(database)
  if (isRemoved(database)) return null
  chmodSync(file, 0o600)
  held.add(database)
  resources.defer(() => held.delete(database))
  return resources.move()
}

/** Takes SQLite's RESERVED lock in one step. EXCLUSIVE takes several: two processes that try at once can both fail. */
function lock(database: Database): void {
  // Keeps the journal out of the folder.
  database.run('PRAGMA journal_mode = MEMORY')
  database.run('BEGIN IMMEDIATE')
  // Never committed. BEGIN also succeeds on a read-only file; this write does not.
  database.run('PRAGMA user_version = 1')
}

function isRemoved(database: Database): boolean {
  const answer = new Int32Array(2)
  database.fileControl(sqlite.SQLITE_FCNTL_HAS_MOVED, answer)
  return answer[0] !== 0
}

function writeHolder(path: string, purpose: string | null): void {
  const own = `${path}.new`
  const words = [process.pid, hostname(), ...(purpose === null ? [] : [purpose])]
  // An existing file may be the remains of a crash, or somebody's link.
  rmSync(own, { force: true })
  writeFileSync(own, `${words.join(' ')}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(own, path)
}

/** Reads the holder's text, which may be that of a process that has ended; nulls if the text is missing or not understood. */
function readHolder(path: string): LockHolder {
  const pattern = /^(\d+) ([\w.-]+)(?: (\w+))?\n$/
  try {
    const [, id, host = null, purpose = null] = pattern.exec(readFileSync(path, 'utf8')) ?? []
    return { id: id === undefined ? null : Number(id), host, purpose }
  } catch {
    return { id: null, host: null, purpose: null }
  }
}
