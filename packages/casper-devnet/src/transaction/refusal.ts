import type { RpcError } from '../rpcAnswer.ts'
import type { TransactionVersion } from './transaction.ts'

export type Refusal = keyof typeof messages

const INVALID_DEPLOY = { code: -32008, message: 'Invalid Deploy' }
const INVALID_TRANSACTION = { code: -32016, message: 'Invalid transaction' }
const NODE_REQUEST_FAILED = { code: -32018, message: 'Node request failure' }

const withSubject = (what: string): Record<TransactionVersion, string> => ({
  Version1: `The transaction sent to the network ${what}`,
  Deploy: `The deploy ${what}`,
})

const both = (text: string): Record<TransactionVersion, string> => ({ Version1: text, Deploy: text })

const unspecified =
  'The transaction or deploy sent to the network was invalid for an unspecified reason' as const

/** casper-node's messages, as recorded in `transactions.jsonl`; messages that are not recorded are from its source code. */
const messages = {
  chainName: withSubject('had an invalid chain name'),
  gasPriceToleranceTooLow: both('gas price tolerance too low'),
  pricingMode: withSubject('had an invalid pricing mode'),
  /** A payment below the minimum, or positional arguments. */
  unspecified: both(unspecified),
  noLane: both("couldn't associate a transaction lane with the transaction"),
  size: withSubject('had an excessive size'),
  timeToLive: withSubject('had an excessive time to live'),
  timestampInFuture: {
    Version1: 'The transaction sent to the network had a timestamp that has not yet occurred',
    Deploy: 'The deploys timestamp is in the future',
  },
  approvalsCount: {
    Version1: 'The transaction sent to the network had excessive approvals',
    Deploy: 'The deploy sent to the network had excessive approvals',
  },
  blockGasLimit: {
    Version1: 'The transaction sent to the network exceeds the networks block gas limit',
    Deploy: 'The deploy sent to the network exceeded the block gas limit',
  },
  argumentsLength: {
    Version1: 'The transaction sent to the network had excessive args length',
    Deploy: 'The deploy had an excessive session args length',
  },
  paymentArgumentsLength: withSubject('had an excessive payment args length'),
  entryPoint: {
    Version1: 'The non-native transaction sent to the network must have a custom entry point',
    Deploy: unspecified,
  },
  emptyModule: {
    Version1: 'The transaction sent to the network had empty module bytes',
    Deploy: 'missing module bytes for deploy',
  },
  dependencies: both('The dependencies for this transaction are no longer supported'),
  missingPayment: withSubject('had a missing payment amount'),
  badPayment: {
    Version1: unspecified,
    Deploy: 'The deploy sent to the network had a payment amount that was unable to be parsed',
  },
  paymentVariant: both('invalid payment variant for deploy'),
  missingArgument: {
    Version1: 'The transaction sent to the network was missing an argument',
    Deploy: 'The deploy sent to the network was missing a transfer amount',
  },
  argumentType: {
    Version1: 'The transaction sent to the network had an unexpected argument type',
    Deploy: 'The deploy sent to the network had a transfer amount that was unable to be parsed',
  },
  transferAmount: {
    Version1: 'The transaction sent to the network had an insufficient transfer amount',
    Deploy: 'The deploy sent to the network had an insufficient transfer amount',
  },
  /** The second VM. Not recorded: `error_code.rs` of casper-binary-port 1.1.1. */
  runtime: both('invalid transaction runtime'),
  /** Auction calls, and transfers from a purse other than the main purse. */
  kind: both('invalid transaction kind'),
  expired: both('transaction has expired'),
  noAccount: both('no such addressable entity'),
  associatedKeys: both('invalid associated keys'),
  /** Not recorded: `error_code.rs` of casper-binary-port 1.1.1. */
  signatureWeight: both('insufficient signature weight'),
  balance: both('insufficient balance'),
  noContract: both('no such contract at hash'),
  noEntryPoint: both('no such entry point'),
  noPackage: both('no such package at hash'),
  missingVersion: both('missing entity at version'),
  disabledVersion: both('disabled entity at version'),
  noApprovals: {
    Version1: 'The transaction sent to the network had no approvals',
    Deploy: 'The deploy had no approvals',
  },
  bodyHash: withSubject('had an invalid body hash'),
  hash: {
    Version1: 'The transaction sent to the network had an invalid hash',
    Deploy: 'The deploy had an invalid deploy hash',
  },
  approval: withSubject('had an invalid approval'),
} as const satisfies Record<string, Record<TransactionVersion, string>>

/** Returns the node's reason for a rejection. */
export const refusalReason = (refusal: Refusal, version: TransactionVersion): string =>
  messages[refusal][version]

/**
 * Returns the node's `error` for a rejected transaction.
 *
 * @param sentAs `deploy` if it was sent by `account_put_deploy`
 */
export function refusalError(
  refusal: Refusal,
  version: TransactionVersion,
  sentAs: 'transaction' | 'deploy',
): RpcError {
  const reason = refusalReason(refusal, version)
  // The node's JSON-RPC sidecar does not know this reason.
  if (refusal === 'gasPriceToleranceTooLow')
    return { ...NODE_REQUEST_FAILED, data: `request for submitting a ${sentAs} has failed: ${reason}` }
  const error = sentAs === 'deploy' ? INVALID_DEPLOY : INVALID_TRANSACTION
  return { ...error, data: `the ${sentAs} was invalid: ${reason}` }
}
