import type { BlockJson } from '../consensus/formatBlock.ts'

/** A block as a node stores and serves it. */
export interface ChainBlock {
  /** Hash of the block: 64 hex digits. */
  readonly hash: string
  /** Height of the block, from 0. */
  readonly height: number
  /** Era of the block, from 0. */
  readonly eraId: number
  /** Time of the block, in epoch milliseconds. */
  readonly timestampMs: number
  /** State root after the block: 64 hex digits. */
  readonly stateRootHash: string
  /** Public key of the proposer; `00` for the genesis block, and for one that activates an upgrade. */
  readonly proposer: string
  /** Whether the block is the last of its era. */
  readonly isSwitchBlock: boolean
  /** The `block_with_signatures` of `chain_get_block`. */
  readonly json: BlockJson
}
