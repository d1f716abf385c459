// cspell:ignore bavail bsize CANTOPEN ffree fullfsync IOERR NOTADB SHMSIZE statfs
import { Database, SQLiteError, constants as sqlite } from 'bun:sqlite'
import { accessSync, closeSync, constants, mkdirSync, openSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineError } from '../defineError.ts'
import { isSystemError, systemReason, writeCure } from '../systemReason.ts'
import { syncFolder, syncFolders } from './writeAtomically.ts'

export const StateFileError = defineError(
  'StateFileError',
  'state_file',
  (facts: { path: string; rule: string }) => `${facts.path} ${facts.rule}`,
)
export type StateFileError = InstanceType<typeof StateFileError>

export interface DatabaseSchema {
  /** Identifies the kind of file: the `application_id` in its header. */
  readonly applicationId: number
  /** The statements of each version of the tables, oldest first. The file's `user_version` counts those that ran. */
  readonly migrations: readonly string[]
}

export interface OpenDatabaseOptions {
  /**
   * Whether to only read. Then the file must exist. The user must still be able to write to its folder: SQLite keeps the
   * memory that all processes share in a file there. @default false
   */
  isReadOnly?: boolean
  /**
   * With `isReadOnly`, whether no other process has the file open. Then SQLite creates no files beside it, for which the user may
   * lack the permission. @default false
   */
  isImmutable?: boolean
  /** Returns the number of the file system's type. Tests replace it. */
  fileSystemOf?: (folder: string) => number
}

/** How long a write waits for another process. The whole process waits meanwhile, so it is short. */
const BUSY_MS = 5_000

/** How long SQLite itself waits. It polls less and less often, and would later miss every pause between others' writes. */
const SQLITE_BUSY_MS = 50

/** Time between two tries, each of which waits as long as SQLite does. */
const RETRY_MS = 10

/**
 * Opens a SQLite database, creates it if it is missing, and brings its tables up to date.
 *
 * A transaction is on disk when it is committed: the file is in WAL mode with `synchronous=FULL`. Several processes of one
 * machine may share the file. Write with {@link writeTransaction}, and never wait inside one.
 *
 * @throws {StateFileError} if the file cannot be used: it is damaged, of another program or a newer version, cannot be
 * written, or lies on a network file system.
 */
export function openDatabase(
  path: string,
  schema: DatabaseSchema,
  options: OpenDatabaseOptions = {},
): Database {
  const { isReadOnly = false, fileSystemOf = (folder) => statfsSync(folder).type } = options
  return orStateFileError(path, () => {
    if (!isReadOnly) createFile(path)
    // SQLite does not say that a file is missing. It opens a read-only file, and fails at the first write.
    if (isReadOnly) assertReadable(path)
    else accessSync(path, constants.W_OK)
    // Opening a pipe would wait for its other end.
    if (!statSync(path).isFile())
      throw new StateFileError({ path, rule: 'is not a regular file; move it away' })
    assertLocal(path, fileSystemOf)
    using resources = new DisposableStack()
    const database = resources.use(openFile(path, options))
    database.run(`PRAGMA busy_timeout = ${SQLITE_BUSY_MS}`)
    // One view of the file: another process may be creating it.
    retryWhileBusy(database.transaction(() => assertKnown(path, database, schema)).deferred)
    if (!isReadOnly) prepare(path, database, schema)
    resources.move()
    return database
  })
}

function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    const reason = systemReason(error)
    throw new StateFileError({
      path,
      rule: reason === 'ENOENT' ? 'does not exist' : `cannot be read (${reason}): let this user read it`,
    })
  }
}

function openFile(path: string, { isReadOnly = false, isImmutable = false }: OpenDatabaseOptions): Database {
  if (isImmutable)
    return new Database(
      `${pathToFileURL(path).href}?immutable=1`,
      sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI,
    )
  return new Database(path, isReadOnly ? { readonly: true, strict: true } : { readwrite: true, strict: true })
}

/** Runs statements in one database transaction, which may write. It waits for other processes that write. */
export const writeTransaction = <T>(database: Database, work: () => T): T =>
  retryWhileBusy(database.transaction(work).immediate)

/** Calls work again while another process has the file locked, for `BUSY_MS`. */
function retryWhileBusy<T>(work: () => T): T {
  const startedNs = Bun.nanoseconds()
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isBusy = error instanceof SQLiteError && error.code === 'SQLITE_BUSY'
      if (!isBusy || Bun.nanoseconds() - startedNs >= BUSY_MS * 1_000_000) throw error
      Bun.sleepSync(RETRY_MS)
    }
  }
}

/** Less than SQLite's shared memory and a page of each file take. */
const MIN_FREE_BYTES = 65_536

/** Returns whether the disk of a file has hardly any space left. SQLite has other errors for that than `SQLITE_FULL`. */
export function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(resolve(path)))
    return bavail * bsize < MIN_FREE_BYTES || (files > 0 && ffree === 0)
  } catch {
    return false
  }
}

/** Turns SQLite's and the system's errors into a {@link StateFileError} that says what to do. */
export function orStateFileError<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof SQLiteError) throw new StateFileError({ path, rule: faultOf(path, error) })
    if (isSystemError(error)) {
      const reason = systemReason(error)
      const isMissing = reason === 'ENOENT'
      throw new StateFileError({
        path,
        rule: isMissing ? 'does not exist' : `cannot be used (${reason}): ${writeCure(reason)}`,
      })
    }
    throw error
  }
}

/** Does work on a state file. Returns the error that names its fault; null without one. Other errors are thrown. */
export function faultIn(work: () => void): StateFileError | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof StateFileError) return error
    throw error
  }
}

const RESTORE =
  'stop all programs that use it, and restore a backup or remove the file, as docs/errors.md describes under state_file'

function faultOf(path: string, { code = 'SQLITE_ERROR', message }: SQLiteError): string {
  if (code.startsWith('SQLITE_BUSY'))
    return `is in use by another process for more than ${BUSY_MS / 1_000} s; try again`
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return `is damaged (${message}); ${RESTORE}`
  const isFull = code.startsWith('SQLITE_FULL') || (/^SQLITE_(CANTOPEN|IOERR)/.test(code) && isDiskFull(path))
  if (isFull || /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(code))
    return `cannot be written (${code}): ${writeCure(isFull ? 'SQLITE_FULL' : code)}`
  if (code.startsWith('SQLITE_IOERR'))
    return `cannot be used (${code}: ${message}): check the disk, and the quota of this user`
  return `cannot be used (${code}: ${message})`
}

/** Creates an empty file that only its owner may read, and makes its name and its folder's names durable. */
function createFile(path: string): void {
  const folder = dirname(resolve(path))
  const firstNew = mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (systemReason(error) === 'EEXIST') return
    throw error
  }
  syncFolders(folder, firstNew)
}

/** File systems whose locks or shared memory do not work between all processes that see them, as `statfs` numbers them. */
const SHARED_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x69_69, 'NFS'],
  [0x51_7b, 'SMB'],
  [0xff_53_4d_42, 'SMB'],
  [0xfe_53_4d_42, 'SMB'],
  [0x01_02_19_97, '9P, a folder shared with a virtual machine'],
  [0x65_73_55_46, 'FUSE, such as a shared folder of Docker Desktop'],
  [0x78_6f_42_56, 'a shared folder of VirtualBox'],
  [0x5346_414f, 'AFS'],
  [0x00c3_6400, 'Ceph'],
  [0x0bd0_0bd0, 'Lustre'],
])

/** @throws {StateFileError} if the file is not on a local volume: SQLite's WAL needs memory that all processes share. */
function assertLocal(path: string, fileSystemOf: (folder: string) => number): void {
  // Only Linux numbers file systems alike.
  if (process.platform !== 'linux') return
  const kind = SHARED_FILE_SYSTEMS.get(fileSystemOf(dirname(resolve(path))) >>> 0)
  if (kind === undefined) return
  throw new StateFileError({
    path,
    rule: `is on a shared file system (${kind}), where two processes may not see each other's locks; use a folder on a local volume of one machine, in Docker a named volume`,
  })
}

/** @throws {StateFileError} if the file is another program's, newer or damaged. */
function assertKnown(path: string, database: Database, { applicationId, migrations }: DatabaseSchema): void {
  const found = pragma(database, 'application_id')
  const version = pragma(database, 'user_version')
  const isNew = found === 0 && version === 0 && database.query('SELECT 1 FROM sqlite_schema').get() === null
  if (isNew) return
  if (found !== applicationId)
    throw new StateFileError({
      path,
      rule: 'is not a file of this program; move it away, or name another folder',
    })
  if (version > migrations.length)
    throw new StateFileError({
      path,
      rule: `was written by a newer version of wattfeed (its tables have version ${version}, this program knows ${migrations.length}); use that version`,
    })
  const faults = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all()
  const [fault] = faults.filter(({ integrity_check }) => integrity_check !== 'ok')
  if (fault !== undefined)
    throw new StateFileError({
      path,
      rule: `is damaged (${fault.integrity_check.replace('*** in database main ***\n', '')}); ${RESTORE}`,
    })
}

/** Sets how the file is written, and brings its tables up to date. */
function prepare(path: string, database: Database, { applicationId, migrations }: DatabaseSchema): void {
  // SQLite does not wait for another process that changes the mode, too.
  retryWhileBusy(() => {
    database.run('PRAGMA journal_mode = WAL')
  })
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  if (process.platform === 'darwin') {
    database.run('PRAGMA fullfsync = ON')
    database.run('PRAGMA checkpoint_fullfsync = ON')
  }
  if (pragma(database, 'user_version') === migrations.length) return
  writeTransaction(database, () => {
    // Another process may have migrated meanwhile.
    const version = pragma(database, 'user_version')
    for (const statements of migrations.slice(version)) database.run(statements)
    if (version >= migrations.length) return
    database.run(`PRAGMA application_id = ${applicationId}`)
    database.run(`PRAGMA user_version = ${migrations.length}`)
  })
  syncFolder(dirname(resolve(path)))
}

function pragma(database: Database, name: 'application_id' | 'user_version'): number {
  const row = database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()
  return row?.[name] ?? 0
}
