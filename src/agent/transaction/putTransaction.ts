import { DecodeError } from '../../bytes/cursor.ts'
import { isRecord } from '../../casper/jsonRpc.ts'
import type { Rpc } from '../../casper/rpc.ts'
import { refusalOf, type TransactionRefusedError } from './refusal.ts'
import type { SignedTransaction } from './signTransaction.ts'

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
): Promise<TransactionRefusedError | null> {
  return rpc.call<TransactionRefusedError | null>({
    method: 'account_put_transaction',
    params: { transaction },
    signal,
    decode(result) {
      const accepted = isRecord(result) && isRecord(result.transaction_hash) ? result.transaction_hash : {}
      if (accepted.Version1 === hash) return null
      throw new DecodeError('account_put_transaction', 'the node accepted another transaction')
    },
    refused(error) {
      const refusal = refusalOf(hash, error)
      if (refusal === null) throw error
      return refusal
    },
  })
}
