import type { NamedArgument } from '../../casper/types/clValue.ts'
import type { ExecutionTarget } from '../engine/executionTarget.ts'
import type { Initiator, PublicKey } from './initiator.ts'

/** The pricing mode of a transaction. Only payment limits are accepted; other modes are not parsed. */
export type Pricing =
  | {
      kind: 'paymentLimited'
      /** Maximum cost. */
      paymentMotes: bigint
      gasPriceTolerance: number
      isStandardPayment: boolean
    }
  | { kind: 'other' }

/** Who pays: the sender's main purse (`standard`), or a variant that only deploys have. */
export type Payment = 'standard' | 'custom' | 'transfer' | 'withoutAmount' | 'withBadAmount'

/** The code that a transaction runs. */
export type Target =
  | ExecutionTarget
  /** Motes from the sender's main purse. */
  | { kind: 'transfer' }
  /** An auction call, which this chain does not execute. */
  | { kind: 'auction' }

/** A signature of a transaction's hash. */
export interface Approval {
  signer: PublicKey
  /** 65 bytes, the first for the algorithm. */
  signature: Uint8Array
}

/** A transaction of either version, parsed from JSON but not checked yet. */
export interface Transaction {
  version: TransactionVersion
  /** The claimed hash, 64 hex digits. */
  hash: string
  /** Whether the content has that hash. */
  hasValidHash: boolean
  /** For a deploy: whether payment and session have the hash in the header. */
  hasValidBodyHash: boolean
  initiator: Initiator
  /** Epoch milliseconds. */
  timestampMs: number
  ttlMs: number
  chainName: string
  pricing: Pricing
  payment: Payment
  target: Target
  /** Whether the kind of entry point fits the target: a stored contract needs a custom one. */
  hasFittingEntryPoint: boolean
  /** Null if the arguments are not named. */
  args: readonly NamedArgument[] | null
  argumentBytes: number
  /** For a deploy: the arguments of its payment. */
  paymentArgumentBytes: number
  /** For a deploy: whether it has dependencies, which are no longer supported. */
  hasDependencies: boolean
  /** Total size with approvals. */
  sizeBytes: number
  approvals: readonly Approval[]
  /** In the format of `info_get_transaction`: `{ "Version1": … }` or `{ "Deploy": … }`. */
  json: Readonly<Record<string, unknown>>
}

export type TransactionVersion = 'Version1' | 'Deploy'
