import { access, link, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { WattfeedError } from '../../errors.ts'
import { systemReason, writeCure } from '../../runtime/systemReason.ts'
import { syncFolder, writeThrough } from '../../runtime/writeAtomically.ts'

/** A transaction's file that cannot be read, written or understood. */
export class TransactionFileError extends WattfeedError {
  static override readonly name = 'TransactionFileError'
  readonly code = 'transaction_file'
  readonly retryable = false

  constructor(
    readonly path: string,
    /** What is wrong with it, and what to do. */
    readonly rule: string,
  ) {
    super(`${path} ${rule}`)
  }
}

/** @throws {TransactionFileError} if the file exists. */
export async function assertNoFile(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  if (exists) throw existing(path)
}

const existing = (path: string): TransactionFileError =>
  new TransactionFileError(path, 'exists, and is not overwritten; name another file, or remove this one')

/** Writes a transaction to a new file, in the node's own JSON. @throws {TransactionFileError} */
export async function createTransactionFile(path: string, transaction: object): Promise<void> {
  const temporary = `${path}.${process.pid}.new`
  try {
    await writeThrough(temporary, formatTransaction(transaction), { flags: 'w' })
    // Unlike renaming, this fails if the file exists.
    await link(temporary, path)
    await syncFolder(dirname(resolve(path)))
  } catch (error) {
    const reason = systemReason(error)
    if (reason === 'EEXIST') throw existing(path)
    throw new TransactionFileError(
      path,
      `cannot be written (${reason}); nothing was sent: ${writeCure(reason)}`,
    )
  } finally {
    await rm(temporary, { force: true })
  }
}

const formatTransaction = (transaction: object): string => `${JSON.stringify(transaction, null, 2)}\n`
