import { DecodeError } from '../../bytes/cursor.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/nodePool.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'
import { type ExecutedTransaction, readExecution } from './execution.ts'

/** What a node knows of a transaction. */
export type TransactionState =
  /** It never heard of it, or forgot. */
  | { state: 'unknown'; node: null }
  | { state: 'pending'; node: Node }
  | { state: 'executed'; node: Node; executed: ExecutedTransaction }

const NO_SUCH_TRANSACTION = -32014

/** What has become of a transaction, by `info_get_transaction`. */
export function getTransaction(rpc: Rpc, hash: string, signal?: AbortSignal): Promise<TransactionState> {
  return rpc.call<TransactionState>({
    method: 'info_get_transaction',
    params: { transaction_hash: { Version1: hash }, finalized_approvals: false },
    signal,
    decode(result, node) {
      if (!isRecord(result)) throw new DecodeError('info_get_transaction', 'the result is not an object')
      const executed = readExecution(hash, result.execution_info)
      return executed === null ? { state: 'pending', node } : { state: 'executed', node, executed }
    },
    refused(error) {
      if (error instanceof JsonRpcError && error.rpcCode === NO_SUCH_TRANSACTION)
        return { state: 'unknown', node: null }
      throw error
    },
  })
}
