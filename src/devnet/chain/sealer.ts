import { accountHashOf } from '../../casper/types/accountHash.ts'
import { type Block, decodeBlock } from '../../casper/types/block.ts'
import type { ValidatorWeight } from '../../casper/types/blockHeader.ts'
import { eraSummaryKey, stateKey } from '../../casper/types/key.ts'
import { encodeStoredValue } from '../../casper/types/storedValue.ts'
import { createConsensus } from '../consensus/createConsensus.ts'
import type { TransactionHash } from '../consensus/formatBlock.ts'
import { parsePublicKey } from '../transaction/initiator.ts'
import type { BlockTransaction } from './blockStore.ts'
import type { ChainBlock } from './chainView.ts'
import type { GenesisAccount } from './genesis.ts'

export interface SealerOptions {
  chainName: string
  /** Seed of the validators' keys. */
  seed: Uint8Array
  validators: number
  eraLength: number
}

/** Contents of a block to seal. */
export interface Unsealed {
  /** The newest block; null for the genesis block. */
  parent: ChainBlock | null
  stateRootHash: string
  timestampMs: number
  transactions: readonly BlockTransaction[]
}

/** Seals blocks on behalf of the validators. */
export interface Sealer {
  /** The validators' accounts, which receive the fees. */
  readonly genesisAccounts: readonly GenesisAccount[]
  /** Returns the account hash of the proposer at a height. */
  proposerAccountAt(height: number): Uint8Array
  /** Returns the writes of the block itself: the rewards at the end of an era. */
  writesAt(height: number): [string, Uint8Array][]
  /** Returns the weight of each validator in an era. */
  weightsOf(eraId: number): ValidatorWeight[]
  seal(unsealed: Unsealed): ChainBlock
}

// Enough to pay for transactions too.
const VALIDATOR_MOTES = 1_000_000_000_000n

/** Returns a sealer that signs with a devnet's validators. */
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
      // The genesis era earns nothing, and writes nothing.
      if (eraEnd === null || eraEnd.rewards.length === 0) return []
      return [[stateKey(eraSummaryKey()), encodeEraInfo(eraEnd.rewards)]]
    },
    weightsOf: consensus.weightsOf,
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
