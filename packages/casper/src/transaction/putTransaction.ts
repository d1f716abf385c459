import { DecodeError } from '@wattfeed/base'
import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRetryable } from '../rpc/rpcErrors.ts'
import { isRecord } from '../types/jsonField.ts'
import type { SignedTransaction } from './signTransaction.ts'
import { isRefusedForever, refusalOf, type TransactionRefusedError } from './transactionRefused.ts'

export type PutAnswer =
  | 'accepted'
  /** No node is known to have accepted it. A node without an answer may have accepted it. */
  | 'no answer'
  | TransactionRefusedError

/**
 * Sends a signed transaction to every node, by `account_put_transaction`. Returns when one has accepted it; sending to the
 * others continues until the signal aborts. One node is not enough, because a restarted node does not announce its
 * transactions to others. Sending the same bytes again is safe: they are executed once.
 *
 * @throws the error of a node that cannot take any transaction, if there is no other; the reason of an abort.
 */
export async function putTransaction(
  rpc: Rpc,
  signed: SignedTransaction,
  signal?: AbortSignal,
): Promise<PutAnswer> {
  const answers = rpc.nodes.map((node) => putTo(node, rpc, signed, signal))
  const accepted = answers.map(async (answer) => {
    if ((await answer) !== 'accepted') throw new Error('not accepted')
  })
  try {
    await Promise.any(accepted)
    return 'accepted'
  } catch {
    if (signal?.aborted) throw signal.reason
    return summarize(await Promise.allSettled(answers))
  }
}

/** Combines the answers if no node accepted the transaction. */
function summarize(answers: readonly PromiseSettledResult<PutAnswer>[]): PutAnswer {
  const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  const refusals = given.filter((answer) => answer instanceof Error)
  const final = refusals.find(isRefusedForever)
  if (final !== undefined) return final
  if (failures.some(isRetryable) || given.includes('no answer')) return 'no answer'
  const [refusal] = refusals
  if (refusal !== undefined) return refusal
  throw failures[0]
}

function putTo(
  only: Node,
  rpc: Rpc,
  { hash, transaction }: SignedTransaction,
  signal: AbortSignal | undefined,
): Promise<PutAnswer> {
  let attempts = 0
  return rpc.call<PutAnswer>({
    method: 'account_put_transaction',
    params: { transaction },
    only,
    // An attempt without an answer is visible only here.
    onAttempt: () => {
      attempts += 1
    },
    signal,
    decode(result) {
      const accepted = isRecord(result) && isRecord(result.transaction_hash) ? result.transaction_hash : {}
      if (accepted.Version1 === hash) return 'accepted'
      throw new DecodeError('account_put_transaction', 'the node accepted another transaction')
    },
    refused(error) {
      const refusal = refusalOf(hash, error)
      if (refusal === null) throw error
      return attempts > 1 && !isRefusedForever(refusal) ? 'no answer' : refusal
    },
  })
}
