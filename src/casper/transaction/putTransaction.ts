import { DecodeError } from '../../bytes/cursor.ts'
import { WattfeedError } from '../../errors.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRecord } from '../types/isRecord.ts'
import type { SignedTransaction } from './signTransaction.ts'

/** Why a node refused a transaction; `other` if its message is not known. */
export type RefusalReason = (typeof reasons)[number][0] | 'malformed' | 'other'

/** A node refused a transaction: nothing was charged. */
export class TransactionRefusedError extends WattfeedError {
  static override readonly name = 'TransactionRefusedError'
  readonly code = 'transaction_refused'
  readonly retryable = false

  constructor(
    /** 64 hex digits. */
    readonly transactionHash: string,
    readonly reason: RefusalReason,
    /** The `code` of the node's error. */
    readonly rpcCode: number,
    /** The node's message. */
    readonly nodeMessage: string,
  ) {
    super(`the node refused transaction ${transactionHash}: ${nodeMessage}; ${wayOut[reason]}`)
  }
}

const wayOut: Readonly<Record<RefusalReason, string>> = {
  chain_name: 'set CASPER_CHAIN_NAME and CASPER_RPC_URL to the same network',
  expired: 'send it again',
  timestamp: "set this machine's clock",
  no_account: 'send CSPR to the account',
  balance: 'send CSPR to the account',
  approval: "use the account's own key",
  no_package: 'check the package hash and the network',
  no_contract: 'check the package hash and the network',
  gas_price_tolerance: "send it again once the network's gas price is 1",
  payment_or_size: 'change what it pays, or send less in it',
  malformed: 'report it as a defect',
  other: 'ask another node',
}

const INVALID_TRANSACTION = -32016
const NODE_REQUEST_FAILED = -32018
const MALFORMED = new Set([-32700, -32600, -32602])

const reasons = [
  ['chain_name', /chain name/],
  ['expired', /expired/],
  ['timestamp', /timestamp/],
  ['no_account', /no such addressable entity|no such account/],
  ['balance', /balance|insufficient/],
  ['approval', /approval|signature/],
  ['no_package', /no such package/],
  ['no_contract', /no such contract|no such entity|no such entry point/],
  ['gas_price_tolerance', /tolerance/],
  // A node's words for a payment below the minimum, or for arguments that fit no lane.
  ['payment_or_size', /unspecified reason|no such lane|payment|exceed|size/],
] as const

/** Reasons that lie in the bytes. Every other one depends on the node, the time or the state. */
const FOREVER: ReadonlySet<RefusalReason> = new Set(['chain_name', 'approval', 'malformed'])

/** Whether every node refuses these bytes, now and later. */
export const isRefusedForever = ({ reason }: TransactionRefusedError): boolean => FOREVER.has(reason)

/** Returns a node's refusal as a typed error; null if the error is not about the transaction, which others may accept. */
function refusalOf(transactionHash: string, error: unknown): TransactionRefusedError | null {
  if (!(error instanceof JsonRpcError)) return null
  const words = [error.rpcMessage, error.data].filter(Boolean).join(': ').slice(0, 300)
  const refuse = (reason: RefusalReason) =>
    new TransactionRefusedError(transactionHash, reason, error.rpcCode, words)
  if (MALFORMED.has(error.rpcCode)) return refuse('malformed')
  const known = reasons.find(([, pattern]) => pattern.test(error.data))?.[0]
  if (error.rpcCode === INVALID_TRANSACTION) return refuse(known ?? 'other')
  return error.rpcCode === NODE_REQUEST_FAILED && known === 'gas_price_tolerance' ? refuse(known) : null
}

/** The answer to a transaction that was sent: null if a node accepted it. */
export type PutAnswer =
  | TransactionRefusedError
  /** A node refused it, but another one that gave no answer may have accepted it before. */
  | 'no answer'
  | null

/**
 * Sends a signed transaction, by `account_put_transaction`. Sending the same bytes again is safe: they are executed
 * once.
 *
 * @throws any other error, which leaves open whether a node has it.
 */
export function putTransaction(
  rpc: Rpc,
  { hash, transaction }: SignedTransaction,
  signal?: AbortSignal,
): Promise<PutAnswer> {
  let attempts = 0
  return rpc.call<PutAnswer>({
    method: 'account_put_transaction',
    params: { transaction },
    // Nothing else reveals an attempt that ended without an answer.
    onAttempt: () => {
      attempts += 1
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
