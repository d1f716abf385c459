import { DecodeError } from '../../bytes/cursor.ts'
import { WattfeedError } from '../../errors.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRetryable } from '../rpc/rpcErrors.ts'
import { isRecord } from '../types/isRecord.ts'
import type { SignedTransaction } from './signTransaction.ts'

/** Why a node refused a transaction; `other` if its message is not known. */
export type RefusalReason = (typeof reasons)[number][0] | 'malformed' | 'other'

/** Every node refused a transaction: nothing was charged. */
export class TransactionRefusedError extends WattfeedError {
  static override readonly name = 'TransactionRefusedError'
  readonly code = 'transaction_refused'
  /** Whether another one, signed anew, can succeed later without anybody's help. */
  readonly retryable: boolean

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
    this.retryable = PASSING.has(reason)
  }
}

const wayOut: Readonly<Record<RefusalReason, string>> = {
  chain_name: 'set CASPER_CHAIN_NAME and CASPER_RPC_URL to the same network',
  expired: 'send it again',
  timestamp: "set this machine's clock",
  no_account: 'send CSPR to the account',
  balance: 'send CSPR to the account',
  approval: "use the account's own key",
  associated_keys: "use the account's own key, or one that is associated with it and has enough weight",
  no_package: 'check the package hash and the network',
  no_contract: 'check the package hash and the network',
  gas_price_tolerance: "raise GAS_PRICE_TOLERANCE, or send it again once the network's gas price has fallen",
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
  ['associated_keys', /associated keys|signature weight/],
  ['balance', /balance|insufficient/],
  ['approval', /approval|signature/],
  ['no_package', /no such package/],
  ['no_contract', /no such contract|no such entity|no such entry point/],
  ['gas_price_tolerance', /tolerance/],
  // A node's words for a payment below the minimum, or for arguments that fit no lane.
  ['payment_or_size', /unspecified reason|transaction lane|no such lane|payment|exceed|size/],
] as const

/** Refusals that a node's JSON-RPC server does not recognize as such. */
const UNRECOGNIZED = /gas price tolerance|transaction lane/

/** Reasons that lie in the bytes. Every other one depends on the node, the time or the state. */
const FOREVER: ReadonlySet<RefusalReason> = new Set(['chain_name', 'approval', 'malformed'])

/** Reasons that pass by themselves. */
const PASSING: ReadonlySet<RefusalReason> = new Set(['expired', 'timestamp', 'gas_price_tolerance'])

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
  if (error.rpcCode !== NODE_REQUEST_FAILED || !UNRECOGNIZED.test(error.data)) return null
  return refuse(known ?? 'other')
}

/** The answer to a transaction that was sent: null if a node accepted it. */
export type PutAnswer =
  | TransactionRefusedError
  /** No node accepted it as far as we know; one that gave no answer may have accepted it all the same. */
  | 'no answer'
  | null

/**
 * Sends a signed transaction to every node, by `account_put_transaction`, and returns once one has accepted it; the
 * others are still sent it until the signal aborts. A node that has restarted keeps what it knew and announces nothing
 * of it, so it is not enough to send to one. Sending the same bytes again is safe: they are executed once.
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
    if ((await answer) !== null) throw new Error('not accepted')
  })
  try {
    await Promise.any(accepted)
    return null
  } catch {
    if (signal?.aborted) throw signal.reason
    return summarize(await Promise.allSettled(answers))
  }
}

/** Returns what the answers come to where no node accepted the transaction. */
function summarize(answers: readonly PromiseSettledResult<PutAnswer>[]): PutAnswer {
  const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  const refusals = given.filter((answer) => answer instanceof TransactionRefusedError)
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
