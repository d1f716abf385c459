import { DecodeError } from '@wattfeed/base'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import {
  amount,
  hash as hashField,
  integer,
  isRecord,
  members,
  nullable,
  record,
  text,
} from '../types/jsonField.ts'
import { quote } from '../types/strictReader.ts'

/** An executed transaction and its cost. */
export interface ExecutedTransaction {
  transactionHash: string
  blockHash: string
  blockHeight: number
  /** Why it failed, in the node's words (`User error: 1`), or null if it succeeded. */
  errorMessage: string | null
  limitMotes: bigint
  consumedMotes: bigint
  /** The refund in motes: three quarters of the unused part, or nothing if it failed. */
  refundMotes: bigint
  chargedMotes: bigint
}

/** What the nodes know of a transaction. */
export type TransactionState =
  /** The node never received it, or dropped it. */
  | { state: 'unknown'; node: null }
  | { state: 'pending'; node: Node }
  | { state: 'executed'; node: Node; executed: ExecutedTransaction }

const NO_SUCH_TRANSACTION = -32014

/** Returns the state of a transaction, by `info_get_transaction`. @param turn see `RpcRequest` */
export function getTransaction(
  rpc: Rpc,
  hash: string,
  { signal, turn }: { signal?: AbortSignal | undefined; turn?: number } = {},
): Promise<TransactionState> {
  return rpc.call<TransactionState>({
    method: 'info_get_transaction',
    params: { transaction_hash: { Version1: hash }, finalized_approvals: false },
    signal,
    turn,
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

/**
 * Reads the `execution_info` of `info_get_transaction`; null if the transaction is not executed yet.
 *
 * @throws {DecodeError}
 */
export function readExecution(transactionHash: string, info: unknown): ExecutedTransaction | null {
  if (!isRecord(info) || info.execution_result === null || info.execution_result === undefined) return null
  const of = members(resultOf(info.execution_result), 'Version2 of execution_result')
  const refundMotes = of('refund', amount)
  const unrefundedMotes = of('cost', amount) - refundMotes
  return {
    transactionHash,
    blockHash: hashField(info.block_hash, 'block_hash'),
    blockHeight: integer(info.block_height, 'block_height'),
    errorMessage: of('error_message', nullable(text)),
    limitMotes: of('limit', amount),
    consumedMotes: of('consumed', amount),
    refundMotes,
    chargedMotes: unrefundedMotes > 0n ? unrefundedMotes : 0n,
  }
}

function resultOf(executionResult: unknown): unknown {
  const [[kind, result] = ['nothing']] = Object.entries(record(executionResult, 'execution_result'))
  if (kind === 'Version2') return result
  throw new DecodeError('execution_result', `unknown kind ${quote(kind)}; expected Version2`)
}
