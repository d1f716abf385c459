import type { Rpc } from '../rpc/rpc.ts'
import { type FollowOptions, followTransaction, TransactionFailedError } from './followTransaction.ts'
import { type ExecutedTransaction, getTransaction } from './getTransaction.ts'
import { isRefusedForever, putTransaction, TransactionRefusedError } from './putTransaction.ts'
import type { SignedTransaction } from './signTransaction.ts'

export interface SendOptions extends FollowOptions {
  /**
   * Whether the bytes were sent before, so that the network may have them. Then a rejection that depends on the node or the
   * time is not final, and the transaction is followed. @default false
   */
  isSentBefore?: boolean
  /**
   * Whether others may send the transaction too, with other approvals. Then a rejection of these bytes is not final.
   * @default false
   */
  isShared?: boolean
}

/**
 * Sends a signed transaction to every node and waits until it is executed.
 *
 * After any error other than the first three, it may still be executed: call this again with the same bytes.
 *
 * @throws {TransactionRefusedError}
 * @throws {TransactionFailedError}
 * @throws {TransactionExpiredError}
 * @throws {TransactionUnresolvedError}
 */
export async function sendTransaction(
  signed: SignedTransaction,
  options: SendOptions,
): Promise<ExecutedTransaction> {
  const { onEvent, isSentBefore = false, isShared = false } = options
  // Stops sending to other nodes when the outcome is known.
  const controller = new AbortController()
  const signal = AbortSignal.any([controller.signal, ...(options.signal ? [options.signal] : [])])
  try {
    const answer = await putTransaction(options.rpc, signed, signal)
    if (answer instanceof TransactionRefusedError && !isShared && (!isSentBefore || isRefusedForever(answer)))
      if (!(await isKnown(signed, options.rpc, signal))) throw answer
    if (answer === null) await onEvent?.('accepted')
    const executed = await followTransaction(signed, { ...options, signal })
    if (executed.errorMessage !== null) throw new TransactionFailedError({ executed })
    return executed
  } finally {
    controller.abort()
  }
}

/** One node may reject a transaction that another node has just accepted. */
async function isKnown(signed: SignedTransaction, rpc: Rpc, signal: AbortSignal): Promise<boolean> {
  const { state } = await getTransaction(rpc, signed.hash, signal)
  return state !== 'unknown'
}
