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

/** The chain of a directory. */
export interface ChainIdentity {
  chainName: string
  /** Hex of the seed's hash. */
  seedHash: string
  /** Hex of the hash of its genesis accounts. */
  accountsHash: string
}

/** A directory with another chain than the one to start. */
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
  /** Appends a record, which is on the disk when this returns. */
  append(record: unknown): void
  close(): void
}

const FORMAT = 1
const LOG_FILE = 'blocks.log'

/**
 * Opens the log of a chain, locks its directory until closed, and calls `replay` with every record, oldest first. Cuts off
 * an incomplete last record.
 *
 * @throws {ForeignDataError | CorruptRecordError | LockedError}
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
  // Synchronous: every write is on the disk when it returns.
  const file = openSync(path, 'as', 0o600)
  ftruncateSync(file, length)
  let kept = length
  const write = (record: unknown): void => {
    const bytes = formatRecord(record)
    // Remove the rest of a failed write, which would make all later records unreadable.
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

/** Replays the records and returns the length of the complete ones. */
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

/** @throws {ForeignDataError} when a file without records is not the start of a log, to not overwrite it */
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
