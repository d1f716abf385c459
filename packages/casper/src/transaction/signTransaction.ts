import type { Transaction } from 'casper-js-sdk'
import { countArgumentBytes } from '../types/arguments.ts'
import { assertLane } from '../types/lane.ts'
import { createTransaction, type TransactionRequest } from './createTransaction.ts'
import { loadSdk } from './sdk.ts'
import type { Signer } from './signer.ts'

/** A transaction with its signatures: plain data that can be stored, and sent again unchanged. */
export interface SignedTransaction {
  readonly hash: string
  /** Epoch milliseconds. No block after this time may include it. */
  readonly expiresAt: number
  readonly transaction: { readonly Version1: unknown }
}

/**
 * Creates and signs a transaction. It is not sent.
 *
 * @throws {NoLaneError} if it fits no lane of the network.
 */
export async function signTransaction(
  signer: Signer,
  request: Omit<TransactionRequest, 'initiator'>,
): Promise<SignedTransaction> {
  const full = { ...request, initiator: signer.initiator }
  return plainOf(full, signer.sign(full))
}

/** Creates a transaction without signatures, for others to sign. Throws as {@link signTransaction} does. */
export async function draftTransaction(request: TransactionRequest): Promise<SignedTransaction> {
  return plainOf(request, createTransaction(await loadSdk(), request))
}

function plainOf(request: TransactionRequest, transaction: Transaction): SignedTransaction {
  assertTransactionLane(request, transaction)
  return {
    hash: transaction.hash.toHex(),
    expiresAt: transaction.timestamp.toMilliseconds() + transaction.ttl.toMilliseconds(),
    // Converted through text, so that it equals the value that is read back from a file.
    transaction: { Version1: JSON.parse(JSON.stringify(transaction.toJSON())) },
  }
}

/** @throws {NoLaneError} unless the network has a lane for the signed transaction. */
export function assertTransactionLane(request: TransactionRequest, transaction: Transaction): void {
  const size = {
    paymentMotes: request.paymentMotes,
    argumentBytes: countArgumentBytes(request.args),
    transactionBytes: transaction.getTransactionV1()?.toBytes().length ?? 0,
  }
  assertLane('wasm' in request.target ? 'install' : 'call', size, request.protocolVersion)
}
