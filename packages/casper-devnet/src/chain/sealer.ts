import {
  accountHashOfHex,
  type Block,
  decodeBlock,
  encodeStoredValue,
  eraSummaryKey,
  stateKey,
} from '@wattfeed/casper/types'
import { type ConsensusOptions, createConsensus } from '../consensus/createConsensus.ts'
import type { Eras } from '../consensus/eras.ts'
import type { TransactionHash } from '../consensus/formatBlock.ts'
import type { BlockTransaction } from './blockStore.ts'
import type { ChainBlock } from './chainBlock.ts'
import type { GenesisAccount } from './genesis.ts'

export interface Unsealed {
  /** The newest block; null for the genesis block. */
  parent: ChainBlock | null
  stateRootHash: string
  timestampMs: number
  transactions: readonly BlockTransaction[]
}

/** Makes blocks by the consensus, for the state that a ledger has computed. */
export interface Sealer extends Pick<Eras, 'weightsOf' | 'eraAfter'> {
  /** The validators' accounts. They receive the fees. */
  readonly genesisAccounts: readonly GenesisAccount[]
  proposerAccountAt(height: number): Uint8Array
  /** Returns the writes of a block without its transactions: the rewards at the end of an era. */
  writesAt(height: number): [string, Uint8Array][]
  seal(unsealed: Unsealed): ChainBlock
}

// Enough that a validator's account can pay for transactions.
const VALIDATOR_MOTES = 1_000_000_000_000n

export function createSealer(options: ConsensusOptions): Sealer {
  const consensus = createConsensus(options)
  let newest: Block | null = null

  // A block's JSON is decompressed and decoded only after a start or a fork.
  const parentOf = (parent: ChainBlock | null): Block | null => {
    if (parent === null) return null
    return newest?.hash === parent.hash ? newest : decodeBlock(parent.json)
  }
  return {
    genesisAccounts: consensus.validators.map(({ publicKey }) => ({
      publicKey,
      balanceMotes: VALIDATOR_MOTES,
    })),
    proposerAccountAt: (height) => accountHashOfHex(consensus.proposerAt(height)),
    writesAt(height) {
      const eraEnd = consensus.eraEndAt(height)
      // The genesis era has no rewards, so nothing is written.
      if (eraEnd === null || eraEnd.rewards.length === 0) return []
      return [[stateKey(eraSummaryKey()), encodeEraInfo(eraEnd.rewards)]]
    },
    weightsOf: consensus.weightsOf,
    eraAfter: consensus.eraAfter,
    seal({ parent, stateRootHash, timestampMs, transactions }) {
      const { block, json } = consensus.nextBlock({
        parent: parentOf(parent),
        stateRootHash,
        timestampMs,
        transactions: byLane(transactions),
      })
      newest = block
      const { height, eraId, eraEnd } = block.header
      return {
        hash: block.hash,
        height,
        eraId,
        timestampMs,
        stateRootHash,
        proposer: consensus.proposerAt(height),
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
