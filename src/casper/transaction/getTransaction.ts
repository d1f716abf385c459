import { DecodeError } from '../../bytes/cursor.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'

/** An executed transaction and its cost. */
export interface ExecutedTransaction {
  /** 64 hex digits. */
  transactionHash: string
  /** 64 hex digits. */
  blockHash: string
  blockHeight: number
  /** Why it failed, in the node's words (`User error: 1`), or null if it succeeded. */
  errorMessage: string | null
  /** What it was allowed to cost, in motes. */
  limitMotes: bigint
  /** The gas that it used, in motes. */
  consumedMotes: bigint
  /** What was refunded, in motes: three quarters of the unused part, nothing if it failed. */
  refundMotes: bigint
  /** What the account was charged, in motes. */
  chargedMotes: bigint
}

/**
 * Reads the `execution_info` of `info_get_transaction`; null if the transaction is not executed yet.
 *
 * @throws {DecodeError}
 */
export function readExecution(transactionHash: string, info: unknown): ExecutedTransaction | null {
  if (!isRecord(info) || info.execution_result === null || info.execution_result === undefined) return null
  const result = isRecord(info.execution_result) ? info.execution_result.Version2 : undefined
  if (!isRecord(result)) throw broken('it is not that of a Version2 execution')
  const refundMotes = motes(result, 'refund')
  const unrefundedMotes = motes(result, 'cost') - refundMotes
  return {
    transactionHash,
    blockHash: readBlockHash(info.block_hash),
    blockHeight: readBlockHeight(info.block_height),
    errorMessage: readErrorMessage(result.error_message),
    limitMotes: motes(result, 'limit'),
    consumedMotes: motes(result, 'consumed'),
    refundMotes,
    chargedMotes: unrefundedMotes > 0n ? unrefundedMotes : 0n,
  }
}

const broken = (rule: string): DecodeError => new DecodeError('execution_info', rule)

function readBlockHash(value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value
  throw broken('block_hash is not 64 hex digits')
}

function readBlockHeight(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw broken('block_height is not a whole number')
}

function readErrorMessage(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  throw broken('error_message is neither text nor null')
}

function motes(result: Record<string, unknown>, name: string): bigint {
  const value = result[name]
  if (typeof value === 'string' && /^\d+$/.test(value)) return BigInt(value)
  throw broken(`${name} is not a number in text`)
}

/** The state of a transaction on a node. */
export type TransactionState =
  /** It never received it, or dropped it. */
  | { state: 'unknown'; node: null }
  | { state: 'pending'; node: Node }
  | { state: 'executed'; node: Node; executed: ExecutedTransaction }

const NO_SUCH_TRANSACTION = -32014

/** Returns the state of a transaction, by `info_get_transaction`. */
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
