import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { WattfeedError } from '../../errors.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { type Destination, type PendingTransaction, parsePendingTransaction } from './pendingTransaction.ts'

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

/** Pending transactions of another chain or registry in the same state folder. Nothing was sent. */
export class ForeignPendingError extends WattfeedError {
  static override readonly name = 'ForeignPendingError'
  readonly code = 'foreign_pending'
  readonly retryable = false

  constructor(
    /** Their files. */
    readonly paths: readonly string[],
    readonly foreign: readonly Destination[],
  ) {
    const named = paths.map((path, index) => {
      const { chainName, attestationRegistryPackageHash } = foreign[index] ?? {}
      return `${path} (chain ${chainName}, AttestationRegistry hash-${attestationRegistryPackageHash})`
    })
    super(
      `transactions of another chain or registry are pending: ${named.join(', ')}; settle them with its settings, or choose another AGENT_STATE_DIR`,
    )
  }
}

/** One file each in this folder of `AGENT_STATE_DIR`, named after the transaction's hash. */
const folderOf = (stateDir: string): string => join(stateDir, 'pending')

/** The file of a pending transaction. */
export const pendingPath = (stateDir: string, transactionHash: string): string =>
  join(folderOf(stateDir), `${transactionHash}.json`)

/**
 * Every pending transaction, by hash.
 *
 * Throws a {@link PendingFileError} where a file holds none: it may stand for one that is on its way, so it is
 * neither passed over nor removed. Throws a {@link ForeignPendingError} where one goes elsewhere.
 */
export async function listPending(stateDir: string, to: Destination): Promise<PendingTransaction[]> {
  const names = (await listNames(folderOf(stateDir))).filter((name) => name.endsWith('.json'))
  const pending = await Promise.all(names.sort().map((name) => readPending(join(folderOf(stateDir), name))))
  const foreign = pending.filter(
    (each) =>
      each.chain_name !== to.chainName ||
      each.attestation_registry_package_hash !== to.attestationRegistryPackageHash,
  )
  if (foreign.length === 0) return pending
  throw new ForeignPendingError(
    foreign.map((each) => pendingPath(stateDir, each.transaction_hash)),
    foreign.map((each) => ({
      chainName: each.chain_name,
      attestationRegistryPackageHash: each.attestation_registry_package_hash,
    })),
  )
}

/** Writes one down. Throws a {@link PendingFileError}. */
export async function writePending(stateDir: string, pending: PendingTransaction): Promise<void> {
  const path = pendingPath(stateDir, pending.transaction_hash)
  try {
    await writeAtomically(path, `${JSON.stringify(pending)}\n`)
  } catch (error) {
    throw new PendingFileError(
      path,
      `cannot be written (${systemReason(error)}); the transaction was not sent: make room, or make AGENT_STATE_DIR writable`,
    )
  }
}

/** Removes the file of one that is settled. Throws a {@link PendingFileError}. */
export async function removePending(stateDir: string, transactionHash: string): Promise<void> {
  const path = pendingPath(stateDir, transactionHash)
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw new PendingFileError(path, `cannot be removed (${systemReason(error)})`)
  }
}

/**
 * Removes what a writer that was killed left half-written: its transaction was never sent. Only for who holds the lock
 * of the state folder, and before anything is written.
 */
export async function removeUnfinished(stateDir: string): Promise<void> {
  const folder = folderOf(stateDir)
  const names = (await listNames(folder)).filter((name) => /\.json\.\d+\.new$/.test(name))
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })))
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (systemReason(error) === 'ENOENT') return []
    throw new PendingFileError(
      folder,
      `cannot be read (${systemReason(error)}); nothing was sent: make AGENT_STATE_DIR readable`,
    )
  }
}

async function readPending(path: string): Promise<PendingTransaction> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new PendingFileError(
      path,
      `cannot be read (${systemReason(error)}); nothing was sent: make AGENT_STATE_DIR readable`,
    )
  })
  const pending = parsePendingTransaction(text)
  if (pending !== null && `${pending.transaction_hash}.json` === basename(path)) return pending
  throw new PendingFileError(
    path,
    'holds no pending transaction that this version can read, and may stand for one that is on its way; look up the transaction that it is named after, and remove the file once that is executed, or half an hour after the file was written, when it cannot be any more',
  )
}
