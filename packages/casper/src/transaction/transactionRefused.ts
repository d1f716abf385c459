import { defineError } from '@wattfeed/base'
import { JsonRpcError } from '../rpc/jsonRpc.ts'

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

/** Maximum length of a node's own words in a message, which is logged. A node may answer with a text of any length. */
const MAX_WORDS_LENGTH = 300

// The first match counts, so narrower patterns come before wider ones.
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

/** Returns whether every node rejects these bytes, now and later. */
export const isRefusedForever = ({ reason }: TransactionRefusedError): boolean => FOREVER.has(reason)

/** Returns a node's rejection as a typed error; null if the error has another cause, so that other nodes may accept it. */
export function refusalOf(transactionHash: string, error: unknown): TransactionRefusedError | null {
  if (!(error instanceof JsonRpcError)) return null
  const words = [error.rpcMessage, error.data].filter(Boolean).join(': ').slice(0, MAX_WORDS_LENGTH)
  const refuse = (reason: RefusalReason) =>
    new TransactionRefusedError({ transactionHash, reason, rpcCode: error.rpcCode, nodeMessage: words })
  if (MALFORMED.has(error.rpcCode)) return refuse('malformed')
  const known = reasons.find(([, pattern]) => pattern.test(error.data))?.[0]
  if (error.rpcCode === INVALID_TRANSACTION) return refuse(known ?? 'other')
  if (error.rpcCode !== NODE_REQUEST_FAILED || !UNRECOGNIZED.test(error.data)) return null
  return refuse(known ?? 'other')
}
