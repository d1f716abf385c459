import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { WattfeedError } from '../../errors.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { recordStored } from '../../runtime/storedTransactions.ts'
import { systemReason, writeCure } from '../../runtime/systemReason.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import type { SignedTransaction } from './signTransaction.ts'

/** A pending transaction's file that cannot be read, written or understood. */
export class PendingFileError extends WattfeedError {
  static override readonly name = 'PendingFileError'
  readonly code = 'pending_file'
  readonly retryable = false

  constructor(
    readonly path: string,
    /** What is wrong with it, and what to do. */
    readonly rule: string,
  ) {
    super(`${path} ${rule}`)
  }
}

/** Pending transactions of another chain or contract than this program writes to. Nothing was sent. */
export class ForeignPendingError extends WattfeedError {
  static override readonly name = 'ForeignPendingError'
  readonly code = 'foreign_pending'
  readonly retryable = false

  constructor(
    /** Their files. */
    readonly paths: readonly string[],
    /** The destination of each, in words. */
    readonly destinations: readonly string[],
    /** What to do instead of settling them with their own settings. */
    wayOut: string,
  ) {
    const named = paths.map((path, index) => `${path} (${destinations[index]})`)
    super(
      `transactions of another chain or contract are pending: ${named.join(', ')}; settle them with its settings, or ${wayOut}`,
    )
  }
}

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

const PendingTransaction = Type.Object({
  transaction_hash: hash,
  /** Epoch milliseconds: no block after this may hold it. */
  expires_at: Type.Integer(),
  payment_motes: Type.String({ pattern: '^[0-9]+$' }),
  /** What `account_put_transaction` takes. */
  transaction: Type.Object({ Version1: Type.Object({ hash }) }),
})

/** A signed transaction that may be in flight, and its purpose. */
export type Pending<P extends object> = Static<typeof PendingTransaction> & P

/** Returns the schema of a pending transaction with this purpose. */
export const pendingSchema = <P extends object>(purpose: TObject) =>
  Type.Unsafe<Pending<P>>(Type.Composite([PendingTransaction, purpose]))

/** Returns what is stored of a signed transaction. */
export const createPending = <P extends object>(
  { hash: transaction_hash, expiresAt: expires_at, transaction }: SignedTransaction,
  paymentMotes: bigint,
  purpose: P,
): Pending<P> => ({
  ...purpose,
  transaction_hash,
  expires_at,
  payment_motes: paymentMotes.toString(),
  transaction: { Version1: { ...Object(transaction.Version1) } },
})

/** Returns what to send. */
export const signedOf = ({
  transaction_hash,
  expires_at,
  transaction,
}: Pending<object>): SignedTransaction => ({
  hash: transaction_hash,
  expiresAt: expires_at,
  transaction,
})

/** Stores pending transactions, so that a run after an interruption sends the same bytes and no others. */
export interface PendingStore<P extends object> {
  /** Removes what a killed writer left half-written: its transaction was never sent. */
  removeUnfinished?(): Promise<void>
  /** Returns everything pending; what the caller knows already, by hash, may be left out. */
  list(known?: ReadonlySet<string>): Promise<readonly Pending<P>[]>
  /** Returns once it is on disk, whatever happens to the machine. */
  write(pending: Pending<P>): Promise<void>
  remove(pending: Pending<P>): Promise<void>
}

/** How the files of one purpose are read. */
export interface PendingFileOptions<P extends object> {
  /** Schema of what a file holds besides the transaction. */
  purpose: TObject
  /** Returns a transaction's destination in words; null if it is the one this program writes to. */
  foreignDestination: (pending: Pending<P>) => string | null
  /** What else to do about one with another destination: `choose another AGENT_STATE_DIR`. */
  wayOut: string
}

/**
 * Creates a store that keeps each transaction in a file of a folder, named after its hash.
 *
 * Its methods throw a {@link PendingFileError}, also for a file that cannot be understood: it may stand for a
 * transaction in flight, so it is neither skipped nor removed. `list` throws a {@link ForeignPendingError}.
 */
export function createPendingFolder<P extends object>(
  folder: string,
  options: PendingFileOptions<P>,
): PendingStore<P> {
  const pathOf = ({ transaction_hash }: Pending<P>): string => join(folder, `${transaction_hash}.json`)

  /** Returns null if another process has removed it meanwhile. */
  async function read(name: string): Promise<Pending<P> | null> {
    const path = join(folder, name)
    const pending = await readPending(path, options)
    if (pending === null || pathOf(pending) === path) return pending
    throw brokenFile(path)
  }

  return {
    async removeUnfinished() {
      const names = (await listNames(folder)).filter((name) => /\.json\.\d+\.new$/.test(name))
      for (const path of names.map((name) => join(folder, name)))
        if (await isLeft(path)) await removePending(path)
    },
    async list(known = new Set()) {
      const names = (await listNames(folder)).filter(
        (name) => name.endsWith('.json') && !known.has(basename(name, '.json')),
      )
      const all = (await Promise.all(names.sort().map(read))).filter((pending) => pending !== null)
      assertOwn(all, pathOf, options)
      return all
    },
    write: (pending) => writePending(pathOf(pending), pending),
    remove: (pending) => removePending(pathOf(pending)),
  }
}

/** How long a half-written file is left to its writer, which may be another process. */
const WRITING_MS = 60_000

/** Whether the writer of a file is gone: it takes a moment, and one that takes longer fails before it has sent anything. */
async function isLeft(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => null)
  return file !== null && file.mtimeMs < Date.now() - WRITING_MS
}

/**
 * Creates a store that keeps at most one transaction, in one file, and never replaces it with another one. Throws as
 * {@link createPendingFolder} does.
 */
export function createPendingFile<P extends object>(
  path: string,
  options: PendingFileOptions<P>,
): PendingStore<P> {
  return {
    async list() {
      const pending = await readPending(path, options)
      if (pending === null) return []
      assertOwn([pending], () => path, options)
      return [pending]
    },
    async write(pending) {
      const kept = await readPending(path, options)
      if (kept !== null && kept.transaction_hash !== pending.transaction_hash)
        throw new PendingFileError(
          path,
          `holds transaction ${kept.transaction_hash}, which is not settled; the new one was not sent: run this again`,
        )
      await writePending(path, pending)
    },
    async remove(pending) {
      const kept = await readPending(path, options)
      if (kept?.transaction_hash === pending.transaction_hash) await removePending(path)
    },
  }
}

/** Reads a text file; null if it does not exist. @throws the system's error if it cannot be read. */
async function readTextFile(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error) => {
    if (systemReason(error) === 'ENOENT') return null
    throw error
  })
}

async function readPending<P extends object>(
  path: string,
  { purpose }: PendingFileOptions<P>,
): Promise<Pending<P> | null> {
  const text = await readTextFile(path).catch((error) => {
    throw unreadable(path, error)
  })
  if (text === null) return null
  const value = parseJson(text)
  if (!Value.Check(pendingSchema<P>(purpose), value)) throw brokenFile(path)
  if (value.transaction.Version1.hash !== value.transaction_hash) throw brokenFile(path)
  recordStored(path, value.transaction_hash)
  return value
}

function assertOwn<P extends object>(
  all: readonly Pending<P>[],
  pathOf: (pending: Pending<P>) => string,
  { foreignDestination, wayOut }: PendingFileOptions<P>,
): void {
  const foreign = all.flatMap((pending) => {
    const destination = foreignDestination(pending)
    return destination === null ? [] : [{ path: pathOf(pending), destination }]
  })
  if (foreign.length === 0) return
  const paths = foreign.map(({ path }) => path)
  const destinations = foreign.map(({ destination }) => destination)
  throw new ForeignPendingError(paths, destinations, wayOut)
}

async function writePending(path: string, pending: Pending<object>): Promise<void> {
  try {
    await writeAtomically(path, `${JSON.stringify(pending)}\n`)
    recordStored(path, pending.transaction_hash)
  } catch (error) {
    throw new PendingFileError(
      path,
      `cannot be written (${systemReason(error)}); the transaction was not sent: ${writeCure(systemReason(error))}`,
    )
  }
}

async function removePending(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
    recordStored(path, null)
  } catch (error) {
    throw new PendingFileError(
      path,
      `cannot be removed (${systemReason(error)}); let this user write to its folder`,
    )
  }
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (systemReason(error) === 'ENOENT') return []
    throw unreadable(folder, error)
  }
}

const unreadable = (path: string, error: unknown): PendingFileError =>
  new PendingFileError(
    path,
    `cannot be read (${systemReason(error)}); nothing was sent: let this user read it`,
  )

const brokenFile = (path: string): PendingFileError =>
  new PendingFileError(
    path,
    `holds no pending transaction that this version can read, and may stand for one that is on its way; look up the transaction that ${/^[0-9a-f]{64}\.json$/.test(basename(path)) ? 'it is named after' : 'it names'}, and remove the file once that is executed, or once its time is over (its timestamp plus its ttl: TRANSACTION_TTL_MS; 2 hours after the file was written at the latest), when it cannot be any more`,
  )
