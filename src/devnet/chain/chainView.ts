import type { BlockJson } from '../consensus/formatBlock.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction, TransactionVersion } from '../transaction/transaction.ts'

/** A block as a node keeps and serves it. */
export interface ChainBlock {
  /** 64 hex digits. */
  readonly hash: string
  readonly height: number
  readonly eraId: number
  readonly timestampMs: number
  /** 64 hex digits. */
  readonly stateRootHash: string
  /** Public key of the validator that proposed it; `00` of the genesis. */
  readonly proposer: string
  /** Whether it is the last one of its era. */
  readonly isSwitchBlock: boolean
  /** The `block_with_signatures` of `chain_get_block`. */
  readonly json: BlockJson
}

/** What is stored under a key at a state root, and the node's proof of it. */
export interface ProvenValue {
  /** `bytesrepr` of the `StoredValue`. */
  readonly stored: Uint8Array
  /** `bytesrepr` of the list that holds the one proof. */
  readonly merkleProof: Uint8Array
}

/** A transaction that a node has accepted. */
export interface KnownTransaction {
  /** As `info_get_transaction` prints it. */
  readonly json: Readonly<Record<string, unknown>>
  /** Of the block that holds it, or null until one does. */
  readonly blockHeight: number | null
  /** The node's `execution_info`, or null until a block holds the transaction. */
  readonly executionInfo: object | null
}

/** The chain as one node sees it. */
export interface ChainView {
  readonly chainName: string
  /** Epoch milliseconds. */
  readonly startedAtMs: number
  now(): number
  /** The newest block. */
  tip(): ChainBlock
  /** A block by its hash or its height, or null. */
  getBlock(identifier: { hash: string } | { height: number }): ChainBlock | null
  /** The newest block that ended an era. */
  latestSwitchBlock(): ChainBlock
  /** Null where nothing is stored. Throws an `UnknownRootError`. */
  read(stateRootHash: string, key: Uint8Array): ProvenValue | null
  getTransaction(version: TransactionVersion, hash: string): KnownTransaction | null
  /** Takes a transaction, once however often it is sent, or says why not. */
  put(transaction: Transaction): Refusal | null
}
