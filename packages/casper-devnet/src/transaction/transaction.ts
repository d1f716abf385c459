import type { TransactionApproval } from '@wattfeed/casper/codec'
import { accountHashOfHex, type NamedArgument } from '@wattfeed/casper/types'
import type { ExecutionTarget } from '../engine/executionTarget.ts'

/** The pricing mode of a transaction. Only payment limits are accepted, so other modes are not parsed. */
export type Pricing =
  | {
      kind: 'paymentLimited'
      paymentMotes: bigint
      gasPriceTolerance: number
      isStandardPayment: boolean
    }
  | { kind: 'other' }

/** The kind of payment. `standard` is from the sender's main purse; the others occur in deploys only. */
export type Payment = 'standard' | 'custom' | 'transfer' | 'withoutAmount' | 'withBadAmount'

export type ReceivedTarget =
  | ExecutionTarget
  /** Motes from the sender's main purse. */
  | { kind: 'transfer' }
  /** An auction call, which this chain does not execute. */
  | { kind: 'auction' }

export interface Initiator {
  /** In hex; null if the transaction contains only the account hash. */
  publicKey: string | null
  accountHash: Uint8Array
}

/** A transaction of either version. It is parsed from JSON, but not checked. */
export interface Transaction {
  version: TransactionVersion
  hash: string
  hasValidHash: boolean
  /** For a deploy: whether the header's body hash is the hash of payment and session. */
  hasValidBodyHash: boolean
  initiator: Initiator
  timestampMs: number
  ttlMs: number
  chainName: string
  pricing: Pricing
  payment: Payment
  target: ReceivedTarget
  /** Whether the kind of entry point fits the target: a stored contract needs a custom entry point. */
  hasFittingEntryPoint: boolean
  /** Null if the arguments are not named. */
  args: readonly NamedArgument[] | null
  argumentBytes: number
  /** For a deploy: the arguments of its payment. */
  paymentArgumentBytes: number
  /** For a deploy: whether it has dependencies, which are no longer supported. */
  hasDependencies: boolean
  /** Total size, including approvals. */
  sizeBytes: number
  approvals: readonly TransactionApproval[]
  /** In the format of `info_get_transaction`: `{ "Version1": … }` or `{ "Deploy": … }`. */
  json: Readonly<Record<string, unknown>>
}

export type TransactionVersion = 'Version1' | 'Deploy'

/** Identifies a transaction on a chain. Both versions have hashes of 64 digits. */
export const transactionId = (version: TransactionVersion, hash: string): string => `${version} ${hash}`

/** Returns the account hashes of the signing keys. */
export const signersOf = ({ approvals }: Pick<Transaction, 'approvals'>): Uint8Array[] =>
  approvals.map(({ signer }) => accountHashOfHex(signer))

/** Returns what a transaction may cost at most, in motes; 0 for a pricing mode that is not accepted. */
export const limitOf = ({ pricing }: Pick<Transaction, 'pricing'>): bigint =>
  pricing.kind === 'paymentLimited' ? pricing.paymentMotes : 0n

/** Returns whether the time to live of a transaction has ended before a time. */
export const isExpired = ({ timestampMs, ttlMs }: Transaction, timeMs: number): boolean =>
  timestampMs + ttlMs < timeMs
