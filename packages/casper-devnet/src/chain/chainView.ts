import type { ValidatorWeight } from '@wattfeed/casper/types'
import type { ChainspecFiles } from '../chainspecFiles.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction, TransactionVersion } from '../transaction/transaction.ts'
import type { ChainBlock } from './chainBlock.ts'
import type { ExecutedTransaction } from './executeTransaction.ts'

export interface ProvenValue {
  /** `bytesrepr` of the `StoredValue`. */
  readonly stored: Uint8Array
  /** `bytesrepr` of a list with one proof. */
  readonly merkleProof: Uint8Array
}

/** Length of the number of proofs at the start of {@link ProvenValue.merkleProof}. */
export const PROOF_COUNT_BYTES = 4

export interface KnownTransaction {
  /** In the format of `info_get_transaction`. */
  readonly json: Readonly<Record<string, unknown>>
  /** Null until a block contains it. */
  readonly blockHeight: number | null
  /** The node's `execution_info`; null until a block contains the transaction. */
  readonly executionInfo: object | null
}

export interface ChainView {
  readonly chainName: string
  /** Returns the protocol of the next block: `2.2.2`. */
  protocolVersion(): string
  /** Returns the upgrade that the next era, or a later one, begins with; null if none is planned. */
  nextUpgrade(): { readonly eraId: number; readonly protocolVersion: string } | null
  readonly startedAtMs: number
  /** Time between blocks in milliseconds; null if each transaction gets an immediate block. */
  readonly blockTimeMs: number | null
  now(): number
  /** Returns the newest block. */
  tip(): ChainBlock
  getBlock(identifier: { hash: string } | { height: number }): ChainBlock | null
  /** Returns the newest block that ended an era. */
  latestSwitchBlock(): ChainBlock
  weightsOf(eraId: number): ValidatorWeight[]
  /** Reads a value; null if nothing is stored under the key. @throws {UnknownRootError} */
  read(stateRootHash: string, key: Uint8Array): ProvenValue | null
  /** Returns the bytes of the trie's element with a hash of 64 hex digits; null if no readable root has it. */
  trieElement(hash: string): Uint8Array | null
  getTransaction(version: TransactionVersion, hash: string): KnownTransaction | null
  /** Returns the files of the next block's protocol. */
  chainspecFiles(): ChainspecFiles
  check(transaction: Transaction): Refusal | null
  /** Executes a transaction after the newest block, and keeps nothing of it. Returns the reason if a node would reject it. */
  simulate(transaction: Transaction): ExecutedTransaction | Refusal
  /** Accepts a transaction, or returns the reason to reject it. Ignores a transaction that is already known. */
  put(transaction: Transaction): Refusal | null
}

/** Returns the block at a height that the chain has reached. */
export function blockAt(chain: Pick<ChainView, 'getBlock'>, height: number): ChainBlock {
  const block = chain.getBlock({ height })
  if (block === null) throw new RangeError(`the chain has no block at height ${height}`)
  return block
}

/** Shows a transaction as one that no block contains. */
export function outsideBlocks({ json }: Pick<KnownTransaction, 'json'>): KnownTransaction {
  return { json, blockHeight: null, executionInfo: null }
}
