import { DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'
import { isRefusedForever, refusalOf, type TransactionRefusedError } from './refusal.ts'
import type { SignedTransaction } from './signTransaction.ts'

/** What came of sending a transaction: null where a node accepted it. */
export type PutAnswer =
  | TransactionRefusedError
  /** A node refused it that another one, which gave no answer, may have taken before. */
  | 'no answer'
  | null

/**
 * Sends a signed transaction, by `account_put_transaction`: null where a node accepted it, or the refusal.
 *
 * Any other error throws, and says nothing about whether a node has it. Sending the same bytes again is safe:
 * they are executed once.
 */
export function putTransaction(
  rpc: Rpc,
  { hash, transaction }: SignedTransaction,
  signal?: AbortSignal,
): Promise<PutAnswer> {
  let attempts = 0
  return rpc.call<PutAnswer>({
    method: 'account_put_transaction',
    params: {
      // Each time that the bytes go out. Of an attempt that ended without an answer, nothing else tells.
      toJSON() {
        attempts += 1
        return { transaction }
      },
    },
    signal,
    decode(result) {
      const accepted = isRecord(result) && isRecord(result.transaction_hash) ? result.transaction_hash : {}
      if (accepted.Version1 === hash) return null
      throw new DecodeError('account_put_transaction', 'the node accepted another transaction')
    },
    refused(error) {
      const refusal = refusalOf(hash, error)
      if (refusal === null) throw error
      return attempts > 1 && !isRefusedForever(refusal) ? 'no answer' : refusal
    },
  })
}
