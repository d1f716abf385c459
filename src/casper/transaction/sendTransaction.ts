import type { Rpc } from '../rpc/rpc.ts'
import { isRetryable } from '../rpc/rpcErrors.ts'
import { type FollowOptions, followTransaction, TransactionFailedError } from './followTransaction.ts'
import { type ExecutedTransaction, getTransaction } from './getTransaction.ts'
import {
  isRefusedForever,
  type PutAnswer,
  putTransaction,
  TransactionRefusedError,
} from './putTransaction.ts'
import type { SignedTransaction } from './signTransaction.ts'

export interface SendOptions extends FollowOptions {
  /**
   * Whether the bytes were sent before, so that the network may hold them: then a refusal that depends on the node or
   * the time settles nothing, and they are followed. @default false
   */
  isSentBefore?: boolean
}

/**
 * Sends a signed transaction and waits until it is executed.
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
  const { rpc, onEvent, signal, isSentBefore = false } = options
  const answer = await firstAnswer(signed, rpc, signal)
  if (answer instanceof TransactionRefusedError && (!isSentBefore || isRefusedForever(answer)))
    if (!(await isKnown(signed, rpc, signal))) throw answer
  if (answer === null) await onEvent?.('accepted')
  const executed = await followTransaction(signed, options)
  if (executed.errorMessage !== null) throw new TransactionFailedError(executed)
  return executed
}

/** Null if a node accepted it. A node that failed may have accepted it too: following it shows. */
function firstAnswer(
  signed: SignedTransaction,
  rpc: Rpc,
  signal: AbortSignal | undefined,
): Promise<PutAnswer> {
  return putTransaction(rpc, signed, signal).catch((error) => {
    if (signal?.aborted || !isRetryable(error)) throw error
    return 'no answer'
  })
}

/** One node may refuse what another one accepted a moment before. */
async function isKnown(
  signed: SignedTransaction,
  rpc: Rpc,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { state } = await getTransaction(rpc, signed.hash, signal)
  return state !== 'unknown'
}
