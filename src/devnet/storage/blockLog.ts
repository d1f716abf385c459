import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { WattfeedError } from '../../errors.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import { formatRecord, readRecords } from './record.ts'

/** Which chain a directory belongs to. */
export interface ChainIdentity {
  chainName: string
  /** Hex of the seed's hash. */
  seedHash: string
  /** Hex of the hash of the accounts that it began with. */
  accountsHash: string
}

/** A directory that holds another chain than the one that is started. */
export class ForeignDataError extends WattfeedError {
  static override readonly name = 'ForeignDataError'
  readonly code = 'foreign_data'
  readonly retryable = false

  constructor(
    readonly path: string,
    /** What differs. */
    readonly rule: string,
  ) {
    super(`${path} holds another chain: ${rule}; use another --data directory`)
  }
}

/** An append-only log of blocks on disk. */
export interface BlockLog {
  /** Keeps a record; when this returns, it is on the disk. */
  append(record: unknown): void
  close(): void
}

const FORMAT = 1
const LOG_FILE = 'blocks.log'

/**
 * Opens the log of a chain in a directory that belongs to this process until it is closed, and hands every record that
 * was kept to `replay`, oldest first. A record that was not written to its end is cut off.
 *
 * Throws a {@link ForeignDataError}, a `CorruptRecordError`, and a `LockedError`.
 */
export function openBlockLog(
  directory: string,
  identity: ChainIdentity,
  replay: (record: unknown) => void,
): BlockLog {
  mkdirSync(directory, { recursive: true })
  const lock = acquireLock(join(directory, 'lock'))
  try {
    return openLog(directory, identity, replay, lock)
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

function openLog(
  directory: string,
  identity: ChainIdentity,
  replay: (record: unknown) => void,
  lock: Disposable,
): BlockLog {
  const path = join(directory, LOG_FILE)
  const isNew = !existsSync(path)
  const length = isNew ? 0 : readLog(path, identity, replay)
  // Every write is on the disk when it returns.
  const file = openSync(path, 'as', 0o600)
  ftruncateSync(file, length)
  let kept = length
  const write = (record: unknown): void => {
    const bytes = formatRecord(record)
    // What an earlier write that failed has left behind would make all that comes after it unreadable.
    ftruncateSync(file, kept)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    kept += bytes.length
  }
  if (length === 0) write(firstRecord(identity))
  if (isNew) syncDirectory(directory)
  return {
    append: write,
    close() {
      closeSync(file)
      lock[Symbol.dispose]()
    },
  }
}

/** Returns how many bytes hold whole records. */
function readLog(path: string, identity: ChainIdentity, replay: (record: unknown) => void): number {
  let length = 0
  for (const { value, end } of readRecords(path)) {
    if (length === 0) assertIdentity(path, identity, value)
    else replay(value)
    length = end
  }
  if (length === 0) assertOwnBeginning(path, identity)
  return length
}

/** A file without any record is one whose first write was cut off, or no log at all: that is not written over. */
function assertOwnBeginning(path: string, identity: ChainIdentity): void {
  const first = formatRecord(firstRecord(identity))
  const found = readFileSync(path)
  if (!found.equals(first.subarray(0, found.length))) throw new ForeignDataError(path, 'it is no log of one')
}

const firstRecord = (identity: ChainIdentity): object => ({ format: FORMAT, ...identity })

function assertIdentity(path: string, identity: ChainIdentity, kept: unknown): void {
  const found: Partial<Record<string, unknown>> = Object(kept)
  const { chainName, seedHash, accountsHash } = identity
  const refuse = (rule: string): never => {
    throw new ForeignDataError(path, rule)
  }
  if (found.format !== FORMAT) refuse(`its format is ${JSON.stringify(found.format)}, not ${FORMAT}`)
  if (found.chainName !== chainName)
    refuse(`its name is ${JSON.stringify(found.chainName)}, not ${JSON.stringify(chainName)}`)
  if (found.seedHash !== seedHash) refuse('its seed is another')
  if (found.accountsHash !== accountsHash) refuse('it began with other accounts (--accounts, --fund)')
}

/** A new file survives a crash only once its directory is on the disk too. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
