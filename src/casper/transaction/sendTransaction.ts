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

/** How a transaction is followed, and what is known of it. */
export interface SendOptions extends FollowOptions {
  /**
   * Whether the bytes went out before, so that the network may hold them: then a refusal that another node, or the
   * same node earlier, need not have given settles nothing, and they are followed to their end. @default false
   */
  isSentBefore?: boolean
}

/**
 * Sends a signed transaction and waits until it is executed.
 *
 * Refused, failed or expired, it is settled. After any other error it may still be executed, and calling this again
 * with the same bytes finds out.
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

/** Null where a node accepted it. A node that died may have taken it: that is for the following to find out. */
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

/** One node may refuse what another one has taken a moment before. */
async function isKnown(
  signed: SignedTransaction,
  rpc: Rpc,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { state } = await getTransaction(rpc, signed.hash, signal)
  return state !== 'unknown'
}
