import { existsSync } from 'node:fs'
import { link, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { DecodeError, defineError, jsonExcess, parseJson, systemReason, writeCure } from '@wattfeed/base'
import { syncFolder, temporaryOf, writeAtomically, writeThrough } from '@wattfeed/base/disk'
import type { TransactionApproval } from '@wattfeed/casper/codec'
import { decodeTransaction, type TransactionV1 } from '@wattfeed/casper/types'
import { printable } from '../../runtime/printable.ts'

export const TransactionFileError = defineError(
  'TransactionFileError',
  'transaction_file',
  (facts: { path: string; rule: string }) => `${facts.path} ${facts.rule}`,
)
export type TransactionFileError = InstanceType<typeof TransactionFileError>

/** Asserts that a transaction may be written to a path. @throws {TransactionFileError} if something is there */
export function assertNoFile(path: string): void {
  if (existsSync(path)) throw alreadyThere(path)
}

const fault = (path: string, rule: string): TransactionFileError => new TransactionFileError({ path, rule })

const alreadyThere = (path: string): TransactionFileError =>
  fault(path, 'exists, and is not overwritten; name another file, or remove this one')

/** Writes a transaction to a new file, in the node's own JSON. */
export async function createTransactionFile(path: string, transaction: object): Promise<void> {
  const temporary = temporaryOf(path)
  try {
    await writeThrough(temporary, formatTransaction(transaction), { flags: 'w' })
    await nameOnce(temporary, path)
    syncFolder(dirname(resolve(path)))
  } catch (error) {
    const reason = systemReason(error)
    if (reason === 'EEXIST') throw alreadyThere(path)
    throw fault(path, `cannot be written (${reason}); nothing was sent: ${writeCure(reason)}`)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Gives a file a name that no file has. Renaming alone would replace one. */
async function nameOnce(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (error) {
    if (systemReason(error) === 'EEXIST') throw error
    // FAT and exFAT have no hard links. A kill in between leaves an empty file, which nobody can take for a transaction.
    await writeThrough(path, '', { flags: 'wx' })
    await rename(temporary, path)
  }
}

const formatTransaction = (transaction: object): string => `${JSON.stringify(transaction, null, 2)}\n`

export interface TransactionFile {
  path: string
  /** Decoded from the bytes that its hash covers. */
  transaction: TransactionV1
  /** The parameter of `account_put_transaction`. */
  json: { Version1: Record<string, unknown> }
}

/** More than the largest transaction of a network, 1 MiB, takes in hex. */
const MAX_FILE_BYTES = 4 * 1024 * 1024

/** Reads a transaction and checks its hash. @throws {TransactionFileError} that names what is wrong */
export async function readTransactionFile(path: string): Promise<TransactionFile> {
  const text = await readFileText(path)
  const excess = jsonExcess(text)
  if (excess !== null) throw fault(path, `is not a transaction: it is ${excess}`)
  const json = parseJson(text)
  if (json === undefined) throw fault(path, 'is not a transaction: it is not JSON')
  try {
    return { path, transaction: decodeTransaction(json), json: json as TransactionFile['json'] }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw fault(
      path,
      `is not a transaction that can be used: ${printable(error.message)}; get it again from its author`,
    )
  }
}

async function readFileText(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES)
      throw fault(path, `is not a transaction: it has ${size} bytes, more than ${MAX_FILE_BYTES}`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof TransactionFileError) throw error
    const reason = systemReason(error)
    throw fault(path, `cannot be read (${reason}); ${readCures[reason] ?? 'let this user read it'}`)
  }
}

const readCures: Readonly<Record<string, string>> = {
  ENOENT: 'name a file that exists',
  EISDIR: 'name a file, not a folder',
}

/** Other users may read the file, and sign it, as far as the umask lets them. */
const SHARED_MODE = 0o666

/**
 * Adds an approval to a transaction's file, atomically. Other key holders may have signed it since it was shown. Of two who sign a
 * shared file in the same moment, one signature is lost.
 *
 * @throws {TransactionFileError} also if the file has another transaction by now.
 */
export async function addApproval(shown: TransactionFile, approval: TransactionApproval): Promise<void> {
  const { path, json, transaction } = await readTransactionFile(shown.path)
  if (transaction.hash !== shown.transaction.hash)
    throw fault(path, 'has another transaction since it was shown, and was not signed; look at it again')
  const others = transaction.approvals.filter(({ signer }) => signer !== approval.signer)
  const signed = { Version1: { ...json.Version1, approvals: [...others, approval] } }
  try {
    await writeAtomically(path, formatTransaction(signed), SHARED_MODE)
  } catch (error) {
    const reason = systemReason(error)
    throw fault(path, `cannot be written (${reason}); ${writeCure(reason)}`)
  }
}
