import { DecodeError } from '../../bytes/cursor.ts'
import { defineError } from '../../defineError.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { isRetryable } from '../rpc/rpcErrors.ts'
import { isRecord } from '../types/isRecord.ts'
import type { SignedTransaction } from './signTransaction.ts'

/** Why a node rejected a transaction; `other` if its message is unknown. */
export type RefusalReason = (typeof reasons)[number][0] | 'malformed' | 'other'

/** Every node rejected a transaction. Nothing was charged. */
export const TransactionRefusedError = defineError(
  'TransactionRefusedError',
  'transaction_refused',
  (facts: {
    transactionHash: string
    reason: RefusalReason
    /** The `code` of the node's error. */
    rpcCode: number
    nodeMessage: string
  }) =>
    `the node rejected transaction ${facts.transactionHash}: ${facts.nodeMessage}; ${wayOut[facts.reason]}`,
  { retryable: (facts) => PASSING.has(facts.reason) },
)
export type TransactionRefusedError = InstanceType<typeof TransactionRefusedError>

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
  payment_or_size: 'change its payment, or reduce its size',
  malformed: 'report it as a defect',
  other: 'try another node',
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

/** Rejections that a node's JSON-RPC server reports with a general error code. */
const UNRECOGNIZED = /gas price tolerance|transaction lane/

/** Reasons that depend only on the bytes. All others depend on the node, the time or the state. */
const FOREVER: ReadonlySet<RefusalReason> = new Set(['chain_name', 'approval', 'malformed'])

const PASSING: ReadonlySet<RefusalReason> = new Set(['expired', 'timestamp', 'gas_price_tolerance'])

/** Whether every node rejects these bytes, now and later. */
export const isRefusedForever = ({ reason }: TransactionRefusedError): boolean => FOREVER.has(reason)

/** Returns a node's rejection as a typed error; null if the error has another cause, so that other nodes may accept it. */
function refusalOf(transactionHash: string, error: unknown): TransactionRefusedError | null {
  if (!(error instanceof JsonRpcError)) return null
  const words = [error.rpcMessage, error.data].filter(Boolean).join(': ').slice(0, 300)
  const refuse = (reason: RefusalReason) =>
    new TransactionRefusedError({ transactionHash, reason, rpcCode: error.rpcCode, nodeMessage: words })
  if (MALFORMED.has(error.rpcCode)) return refuse('malformed')
  const known = reasons.find(([, pattern]) => pattern.test(error.data))?.[0]
  if (error.rpcCode === INVALID_TRANSACTION) return refuse(known ?? 'other')
  if (error.rpcCode !== NODE_REQUEST_FAILED || !UNRECOGNIZED.test(error.data)) return null
  return refuse(known ?? 'other')
}

/** The answer to a transaction that was sent: null if a node accepted it. */
export type PutAnswer =
  | TransactionRefusedError
  /** No node is known to have accepted it. A node without an answer may have accepted it. */
  | 'no answer'
  | null

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
