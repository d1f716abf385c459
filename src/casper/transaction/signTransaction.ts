import { assertTransactionLane, createTransaction, type TransactionRequest } from './createTransaction.ts'
import type { Signer } from './signer.ts'

/** A signed transaction: plain data that can be kept, and sent again as it is. */
export interface SignedTransaction {
  /** 64 hex digits. */
  readonly hash: string
  /** Epoch milliseconds: no block after this may hold it. */
  readonly expiresAt: number
  /** What `account_put_transaction` takes. */
  readonly transaction: { readonly Version1: unknown }
}

/**
 * Makes and signs a transaction. It is not sent.
 *
 * @throws {NoLaneError} where the network would not take it.
 */
export async function signTransaction(
  signer: Signer,
  request: Omit<TransactionRequest, 'publicKey'>,
): Promise<SignedTransaction> {
  const full = { ...request, publicKey: signer.publicKey }
  const transaction = await createTransaction(full)
  signer.sign(transaction)
  assertTransactionLane(full, transaction)
  return {
    hash: transaction.hash.toHex(),
    expiresAt: transaction.timestamp.toMilliseconds() + transaction.ttl.toMilliseconds(),
    // Through text, so that it is what a file gives back.
    transaction: { Version1: JSON.parse(JSON.stringify(transaction.toJSON())) },
  }
}
