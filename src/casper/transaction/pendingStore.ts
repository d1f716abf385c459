import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { WattfeedError } from '../../errors.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { pendingTransactions } from '../../runtime/pendingTransactions.ts'
import { nullIfMissing, systemReason, writeCure } from '../../runtime/systemReason.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import type { SignedTransaction } from './signTransaction.ts'

/** A pending transaction's file that cannot be read, written or parsed. */
export class PendingFileError extends WattfeedError {
  static override readonly name = 'PendingFileError'
  readonly code = 'pending_file'
  readonly retryable = false

  constructor(
    readonly path: string,
    /** The fault and the fix. */
    readonly rule: string,
  ) {
    super(`${path} ${rule}`)
  }
}

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** The purpose of a transaction: `kind`, and the data that its program needs to record the outcome. */
export interface Purpose {
  readonly kind: string
}

type PurposeSchema = TSchema & { properties: { kind: { const: string } } }

const Pending = Type.Object({
  /** Version of this file format. */
  version: Type.Literal(1),
  chain_name: Type.String(),
  purpose: Type.Object({ kind: Type.String() }),
  transaction_hash: hash,
  /** Epoch milliseconds: no block after this may include it. */
  expires_at: Type.Integer(),
  /** Its maximum cost. */
  payment_motes: Type.String({ pattern: '^[0-9]+$' }),
  /** The parameter of `account_put_transaction`. */
  transaction: Type.Object({ Version1: Type.Object({ hash }) }),
})

/** A signed transaction that may be in flight, and its purpose. */
export type Pending<P extends Purpose> = Omit<Static<typeof Pending>, 'purpose'> & { purpose: P }

/** Returns the stored form of a signed transaction. */
export const createPending = <P extends Purpose>(
  { hash: transaction_hash, expiresAt: expires_at, transaction }: SignedTransaction,
  { chain_name, payment_motes, purpose }: Pick<Pending<P>, 'chain_name' | 'payment_motes' | 'purpose'>,
): Pending<P> => ({
  version: 1,
  chain_name,
  purpose,
  transaction_hash,
  expires_at,
  payment_motes,
  transaction: { Version1: { ...Object(transaction.Version1) } },
})

export const signedOf = ({
  transaction_hash,
  expires_at,
  transaction,
}: Pending<Purpose>): SignedTransaction => ({
  hash: transaction_hash,
  expiresAt: expires_at,
  transaction,
})

/** Stores pending transactions, so that a run after an interruption sends exactly the same bytes. */
export interface PendingStore<P extends Purpose> {
  /** Removes incomplete files of killed writers. Their transactions were never sent. */
  removeUnfinished?(): Promise<void>
  /** Returns all pending transactions. It may omit those that the caller knows, by hash. */
  list(known?: ReadonlySet<string>): Promise<readonly Pending<P>[]>
  /** Returns when it is on disk and survives a crash of the machine. */
  write(pending: Pending<P>): Promise<void>
  remove(pending: Pending<P>): Promise<void>
}

/** Returns the folder of a chain's pending transactions. @param target the contract's package hash, 64 hex digits */
export const pendingFolder = (stateDir: string, chainName: string, target: string): string =>
  join(stateDir, 'pending', chainName, target)

/**
 * Creates a store with one file per transaction in a folder, named after its hash. Programs of other purposes may use
 * the same folder: this store lists those of its own kind.
 *
 * Its methods throw a {@link PendingFileError}, also for an unreadable file. It may belong to a transaction in flight, so it is
 * neither skipped nor removed.
 */
export function createPendingStore<P extends Purpose>(
  folder: string,
  purpose: PurposeSchema,
): PendingStore<P> {
  const pathOf = (transactionHash: string): string => join(folder, `${transactionHash}.json`)
  const isOwn = (pending: Pending<Purpose>): pending is Pending<P> => Value.Check(purpose, pending.purpose)

  /** Returns null for another kind, and if another process has removed it meanwhile. */
  async function read(name: string): Promise<Pending<P> | null> {
    const path = join(folder, name)
    const pending = await readPending(path)
    if (pending === null) return null
    if (pathOf(pending.transaction_hash) !== path) throw brokenFile(path)
    if (pending.purpose.kind !== purpose.properties.kind.const) return null
    if (!isOwn(pending)) throw brokenFile(path)
    pendingTransactions.set(path, pending.transaction_hash)
    return pending
  }

  return {
    async removeUnfinished() {
      const names = (await listNames(folder)).filter((name) => /\.json\.[0-9a-f-]+\.new$/.test(name))
      for (const path of names.map((name) => join(folder, name)))
        if (await isLeft(path)) await removePending(path)
    },
    async list(known = new Set()) {
      const names = (await listNames(folder)).filter(
        (name) => name.endsWith('.json') && !known.has(basename(name, '.json')),
      )
      return (await Promise.all(names.sort().map(read))).filter((pending) => pending !== null)
    },
    write: (pending) => writePending(pathOf(pending.transaction_hash), pending),
    remove: ({ transaction_hash }) => removePending(pathOf(transaction_hash)),
  }
}

/** How long to wait for the writer of an incomplete file, which may be another process. */
const WRITING_MS = 60_000

/** Whether the writer of a file is gone. A slower writer fails before it has sent anything. */
async function isLeft(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => null)
  return file !== null && file.mtimeMs < Date.now() - WRITING_MS
}

async function readPending(path: string): Promise<Pending<Purpose> | null> {
  const text = await readFile(path, 'utf8')
    .catch(nullIfMissing)
    .catch((error) => {
      throw unreadable(path, error)
    })
  if (text === null) return null
  const value = parseJson(text)
  if (!Value.Check(Pending, value) || value.transaction.Version1.hash !== value.transaction_hash)
    throw brokenFile(path)
  return value
}

async function writePending(path: string, pending: Pending<Purpose>): Promise<void> {
  try {
    await writeAtomically(path, `${JSON.stringify(pending)}\n`)
    pendingTransactions.set(path, pending.transaction_hash)
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
    pendingTransactions.delete(path)
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
    `is not a pending transaction that this version can read, and may belong to one in flight. Look up the transaction that ${/^[0-9a-f]{64}\.json$/.test(basename(path)) ? 'it is named after' : 'it names'}. Remove the file when that is executed or expired (timestamp plus TRANSACTION_TTL_MS; at the latest 2 hours after the file was written)`,
  )
