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
import { defineError } from '@wattfeed/base'
import { acquireLock } from '@wattfeed/base/disk'
import { formatRecord, readRecords } from './record.ts'

export interface ChainIdentity {
  chainName: string
  /** Hash of the seed, in hex. */
  seedHash: string
  /** Hash of the genesis accounts, in hex. */
  accountsHash: string
}

/** The directory contains a different chain. */
export const ForeignDataError = defineError(
  'ForeignDataError',
  'foreign_data',
  (facts: { path: string; rule: string }) =>
    `${facts.path} does not belong to this chain: ${facts.rule}; use another --data directory`,
)

export interface BlockLog {
  /** Appends a record. It is on the disk when this returns. */
  append(record: unknown): void
  close(): void
}

const FORMAT = 1
const LOG_FILE = 'blocks.log'

/**
 * Opens the log of a chain, locks its directory until it is closed, and calls `replay` with every record, oldest first.
 * Removes an incomplete last record.
 *
 * @throws {ForeignDataError | CorruptRecordError | LockedError}
 */
export function openBlockLog(
  directory: string,
  identity: ChainIdentity,
  replay: (record: unknown) => void,
): BlockLog {
  mkdirSync(directory, { recursive: true })
  using resources = new DisposableStack()
  resources.use(acquireLock(join(directory, 'lock')))
  const path = join(directory, LOG_FILE)
  const isNew = !existsSync(path)
  const length = isNew ? 0 : readLog(path, identity, replay)
  // The flag `s` makes writes synchronous: the data is on the disk when a write returns.
  const file = openSync(path, 'as', 0o600)
  resources.defer(() => closeSync(file))
  ftruncateSync(file, length)
  let kept = length
  const append = (record: unknown): void => {
    const bytes = formatRecord(record)
    // Remove the remains of a failed write: they would make all later records unreadable.
    ftruncateSync(file, kept)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    kept += bytes.length
  }
  if (length === 0) append(firstRecord(identity))
  if (isNew) syncDirectory(directory)
  const open = resources.move()
  return { append, close: () => open.dispose() }
}

/** Replays the records, and returns the length of all complete records in bytes. */
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

/** @throws {ForeignDataError} when a file without records is not the start of this log and must not be overwritten */
function assertOwnBeginning(path: string, identity: ChainIdentity): void {
  const first = formatRecord(firstRecord(identity))
  const found = readFileSync(path)
  if (!found.equals(first.subarray(0, found.length)))
    throw new ForeignDataError({ path, rule: 'it is not a block log' })
}

const firstRecord = (identity: ChainIdentity): object => ({ format: FORMAT, ...identity })

function assertIdentity(path: string, identity: ChainIdentity, kept: unknown): void {
  const found: Partial<Record<string, unknown>> = Object(kept)
  const { chainName, seedHash, accountsHash } = identity
  const refuse = (rule: string): never => {
    throw new ForeignDataError({ path, rule })
  }
  if (found.format !== FORMAT) refuse(`its format is ${JSON.stringify(found.format)}, not ${FORMAT}`)
  if (found.chainName !== chainName)
    refuse(`its chain name is ${JSON.stringify(found.chainName)}, not ${JSON.stringify(chainName)}`)
  if (found.seedHash !== seedHash) refuse('its seed differs (--seed)')
  if (found.accountsHash !== accountsHash) refuse('its genesis accounts differ (--accounts, --fund)')
}

/** Flushes a directory to the disk. Without this, a crash could lose a new file in it. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
