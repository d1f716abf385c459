import type { Rpc } from '@wattfeed/casper'
import {
  defaultTerms,
  draftTransaction,
  getAccount,
  readMaxLifetime,
  readNetworkTerms,
  type SendRequest,
  type Signer,
  signTransaction,
  type TransactionTerms,
} from '@wattfeed/casper/transaction'
import { formatAccountHash } from '@wattfeed/casper/types'
import { assertNoFile, createTransactionFile } from './transactionFile.ts'

export interface OutFile {
  path: string
  /** How long it can be executed, in milliseconds; null for the longest time that the chain allows. */
  lifetimeMs: number | null
}

export interface WrittenTransaction {
  file: string
  /** 64 hex digits. */
  transactionHash: string
  /** Epoch milliseconds. No block after this time may include it. */
  expiresAt: number
  paymentMotes: bigint
  /** Whether it has the signature of the settings' key, which is then associated with the account. */
  isSigned: boolean
}

export interface Writing extends Partial<TransactionTerms> {
  rpc: Rpc
  signer: Signer
  chainName: string
  out: OutFile
  /** @default Date.now */
  now?: () => number
}

/**
 * Builds a transaction, and writes it to a new file for several keys to sign. The signer's key signs it if it is associated
 * with the account. Nothing is sent.
 *
 * @throws {TransactionFileError} if the file exists or cannot be written; {@link NoLaneError}.
 */
export async function writeTransaction(
  { target, args, paymentMotes }: SendRequest,
  { rpc, signer, chainName, out, now = Date.now, ...terms }: Writing,
): Promise<WrittenTransaction> {
  const { gasPriceTolerance } = { ...defaultTerms, ...terms }
  assertNoFile(out.path)
  const transactionTtlMs = out.lifetimeMs ?? (await readMaxLifetime(rpc))
  const network = await readNetworkTerms(rpc, transactionTtlMs, now)
  const request = { target, args, paymentMotes, chainName, ...network, transactionTtlMs, gasPriceTolerance }
  const isSigned = await isAssociated(rpc, signer)
  const made = isSigned
    ? await signTransaction(signer, request)
    : await draftTransaction({ ...request, initiator: signer.initiator })
  await createTransactionFile(out.path, made.transaction)
  const { hash: transactionHash, expiresAt } = made
  return { file: out.path, transactionHash, expiresAt, paymentMotes, isSigned }
}

/** Returns whether the signer's key may sign for its account. The signature of any other key weighs nothing. */
async function isAssociated(rpc: Rpc, { initiator, keyHash }: Signer): Promise<boolean> {
  const account = await getAccount(rpc, initiator)
  const keys = account?.associatedKeys ?? []
  return keys.some(({ accountHash }) => formatAccountHash(accountHash) === keyHash)
}

export const formatWritten = ({ file, transactionHash, expiresAt, isSigned }: WrittenTransaction): string =>
  `wrote transaction ${transactionHash} to ${file}, ${isSigned ? 'signed by this key' : 'without a signature, because this key is not associated with the account'}; nothing was sent. It can be executed until ${new Date(expiresAt).toISOString()}: sign it with "transaction sign", and send it with "transaction send"`
