import { type Block, decodeBlock } from '../../casper/types/block.ts'
import { eraSummaryKey, stateKey } from '../../casper/types/key.ts'
import { encodeStoredValue } from '../../casper/types/storedValue.ts'
import { createConsensus } from '../consensus/createConsensus.ts'
import type { TransactionHash } from '../consensus/formatBlock.ts'
import { accountHashOf, parsePublicKey } from '../transaction/initiator.ts'
import type { BlockTransaction } from './blockStore.ts'
import type { ChainBlock } from './chainView.ts'
import type { GenesisAccount } from './genesis.ts'

export interface SealerOptions {
  chainName: string
  /** Where the validators' keys come from. */
  seed: Uint8Array
  validators: number
  eraLength: number
}

/** What a block is made of. */
export interface Unsealed {
  /** The newest block; null makes the first one. */
  parent: ChainBlock | null
  stateRootHash: string
  timestampMs: number
  transactions: readonly BlockTransaction[]
}

/** The validators as far as a chain has to do with them. */
export interface Sealer {
  /** Accounts of theirs, which fees go to. */
  readonly genesisAccounts: readonly GenesisAccount[]
  /** The account hash of who proposes the block at a height. */
  proposerAccountAt(height: number): Uint8Array
  /** What the block at a height writes by itself: at the end of an era, what the era has paid. */
  writesAt(height: number): [string, Uint8Array][]
  seal(unsealed: Unsealed): ChainBlock
}

// So that they can pay for transactions too.
const VALIDATOR_MOTES = 1_000_000_000_000n

/** Seals blocks with the signatures of a devnet's validators. */
export function createSealer(options: SealerOptions): Sealer {
  const consensus = createConsensus(options)
  let newest: Block | null = null

  const parentOf = (parent: ChainBlock | null): Block | null => {
    if (parent === null) return null
    return newest?.hash === parent.hash ? newest : decodeBlock(parent.json)
  }
  return {
    genesisAccounts: consensus.validators.map(({ publicKey }) => ({
      publicKey,
      balanceMotes: VALIDATOR_MOTES,
    })),
    proposerAccountAt: (height) => accountHashOf(parsePublicKey(consensus.proposerAt(height))),
    writesAt(height) {
      const eraEnd = consensus.eraEndAt(height)
      return eraEnd === null ? [] : [[stateKey(eraSummaryKey()), encodeEraInfo(eraEnd.rewards)]]
    },
    seal({ parent, stateRootHash, timestampMs, transactions }) {
      const { block, json } = consensus.nextBlock({
        parent: parentOf(parent),
        stateRootHash,
        timestampMs,
        transactions: byLane(transactions),
      })
      newest = block
      const { height, eraId, eraEnd, proposer } = block.header
      return {
        hash: block.hash,
        height,
        eraId,
        timestampMs,
        stateRootHash,
        proposer: proposer ?? '00',
        isSwitchBlock: eraEnd !== null,
        json,
      }
    },
  }
}

function encodeEraInfo(rewards: readonly [validator: string, amounts: readonly bigint[]][]): Uint8Array {
  const allocations = rewards.flatMap(([validator, amounts]) =>
    amounts.map((amount) => ({ Validator: { validator_public_key: validator, amount: String(amount) } })),
  )
  return encodeStoredValue({ kind: 'EraInfo', eraInfo: { seigniorage_allocations: allocations } })
}

function byLane(transactions: readonly BlockTransaction[]): Record<number, TransactionHash[]> {
  const lanes: Record<number, TransactionHash[]> = {}
  for (const { laneId, version, hash } of transactions) {
    lanes[laneId] ??= []
    lanes[laneId].push(version === 'Deploy' ? { Deploy: hash } : { Version1: hash })
  }
  return lanes
}
