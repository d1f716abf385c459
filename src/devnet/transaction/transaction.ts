import type { NamedArgument } from '../../casper/types/clValue.ts'
import type { PublicKey } from './initiator.ts'

/** Who sends a transaction. */
export interface Initiator {
  /** Null where the transaction names only the account hash. */
  publicKey: PublicKey | null
  accountHash: Uint8Array
}

/** How a transaction pays. Only payment limits are accepted; of the other modes nothing is read. */
export type Pricing =
  | {
      kind: 'paymentLimited'
      /** The most that it may cost. */
      paymentMotes: bigint
      gasPriceTolerance: number
      isStandardPayment: boolean
    }
  | { kind: 'other' }

/** What pays: the sender's main purse, or what only deploys can have. */
export type Payment = 'standard' | 'custom' | 'transfer' | 'withoutAmount' | 'withBadAmount'

/** What a transaction runs. */
export type Target =
  | { kind: 'session'; wasm: Uint8Array; isInstallOrUpgrade: boolean }
  | { kind: 'contract'; contractHash: Uint8Array; entryPoint: string }
  | { kind: 'contractName'; name: string; entryPoint: string }
  | { kind: 'package'; packageHash: Uint8Array; version: number | null; entryPoint: string }
  | { kind: 'packageName'; name: string; version: number | null; entryPoint: string }
  /** A transfer or a call of the auction, which are not executed here. */
  | { kind: 'native' }

/** A signature of a transaction's hash. */
export interface Approval {
  signer: PublicKey
  /** 65 bytes: the first tells the algorithm. */
  signature: Uint8Array
}

/** What both kinds of transaction hold, read from JSON and not checked yet. */
export interface Transaction {
  version: TransactionVersion
  /** The hash that it claims, 64 hex digits. */
  hash: string
  /** Whether its content has that hash. */
  hasValidHash: boolean
  /** Of a deploy: whether its payment and session have the hash that its header claims. */
  hasValidBodyHash: boolean
  initiator: Initiator
  /** Epoch milliseconds. */
  timestampMs: number
  ttlMs: number
  chainName: string
  pricing: Pricing
  payment: Payment
  target: Target
  /** Whether the entry point's kind fits the target: a stored contract needs a custom one. */
  hasFittingEntryPoint: boolean
  /** Null where the arguments are not named. */
  args: readonly NamedArgument[] | null
  argumentBytes: number
  /** Of a deploy: the arguments of its payment. */
  paymentArgumentBytes: number
  /** Of a deploy: whether it names others that must come first, which is no longer supported. */
  hasDependencies: boolean
  /** Of the whole, with its approvals. */
  sizeBytes: number
  approvals: readonly Approval[]
  /** What `info_get_transaction` prints: `{ "Version1": … }` or `{ "Deploy": … }`. */
  json: Readonly<Record<string, unknown>>
}

export type TransactionVersion = 'Version1' | 'Deploy'
