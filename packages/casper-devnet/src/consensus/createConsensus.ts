import { finalityMessage } from '@wattfeed/casper/light-client'
import { type Block, type FinalitySignature, hashBlockBody, hashBlockHeader } from '@wattfeed/casper/types'
import { type Chainspec, GAS_PRICE } from '../chainspec.ts'
import { createEras, type EraStart, type Eras } from './eras.ts'
import { type BlockJson, formatBlock, type TransactionHash } from './formatBlock.ts'
import { linkToParent } from './linkToParent.ts'
import { rewardedSignatures } from './rewardedSignatures.ts'
import { createValidators, type Validator } from './validators.ts'

export interface ConsensusOptions {
  chainName: string
  /** Seed of the validators' keys and of the blocks' random bits. */
  seed: Uint8Array
  chainspec: Chainspec
  /** Number of validators. @default 3 */
  validators?: number | undefined
  /** Blocks per era. The first era has only the genesis block. @default 20 */
  eraLength?: number | undefined
  /** The first block of the chainspec. @default genesis */
  start?: EraStart
}

export interface NextBlock {
  /** The newest block; null for the genesis block. */
  parent: Block | null
  stateRootHash: string
  timestampMs: number
  /** Transaction hashes by lane. @default none */
  transactions?: Readonly<Record<number, readonly TransactionHash[]>>
  /** Public keys of the validators that sign. @default all */
  signers?: readonly string[]
}

export interface SignedBlock {
  block: Block
  json: BlockJson
}

/** The consensus of a devnet: its validators agree on every block immediately. */
export interface Consensus extends Pick<Eras, 'weightsOf' | 'eraEndAt' | 'eraAfter'> {
  readonly validators: readonly Pick<Validator, 'publicKey' | 'stakeMotes'>[]
  /** Returns the public key of the proposer of the block at a height. */
  proposerAt(height: number): string
  /** Makes and signs the next block. It keeps no state, so the parent can be any block. */
  nextBlock(next: NextBlock): SignedBlock
}

/** The public key of the system, which proposes the first block of a protocol. */
const SYSTEM_KEY = '00'

/** Creates the validators of a chain. Blocks are deterministic: the same seed and inputs give the same block. */
export function createConsensus(options: ConsensusOptions): Consensus {
  const { chainName, seed, chainspec, validators: count = 3, eraLength = 20 } = options
  const { start = { height: 0, eraId: 0 } } = options
  const validators = createValidators(seed, count)
  const publicKeys = validators.map(({ publicKey }) => publicKey)
  const { eraIdAt, eraAfter, weightsOf, eraEndAt } = createEras(validators, eraLength, start)
  const proposerAt = (height: number): string =>
    height === start.height ? SYSTEM_KEY : (publicKeys[height % publicKeys.length] ?? SYSTEM_KEY)

  return {
    validators,
    weightsOf,
    proposerAt,
    eraEndAt,
    eraAfter,
    nextBlock({ parent, stateRootHash, timestampMs, transactions, signers = publicKeys }) {
      const link = linkToParent(parent, seed)
      const { height } = link
      const rewarded = rewardedSignatures(parent, publicKeys, chainspec.core.signature_rewards_max_delay)
      const body = {
        transactions: { ...transactions },
        // Nodes make the first block of a protocol without a proposer, who would collect signatures.
        rewarded_signatures: height === start.height ? [] : rewarded,
      }
      const header: Block['header'] = {
        version: 2,
        ...link,
        stateRootHash,
        bodyHash: hashBlockBody(body),
        eraEnd: eraEndAt(height),
        timestamp: timestampMs,
        eraId: eraIdAt(height),
        protocolVersion: [...chainspec.protocol.version],
        proposer: proposerAt(height),
        currentGasPrice: GAS_PRICE,
      }
      const unsigned = { hash: hashBlockHeader(header), header }
      const signing = validators.filter(({ publicKey }) => signers.includes(publicKey))
      const block = { ...unsigned, proofs: sign(unsigned, chainName, signing) }
      return { block, json: formatBlock(block, body) }
    },
  }
}

function sign(
  block: Omit<Block, 'proofs'>,
  chainName: string,
  signers: readonly Validator[],
): FinalitySignature[] {
  const message = finalityMessage(block, chainName)
  return signers.map((signer) => ({ publicKey: signer.publicKey, signature: signer.sign(message) }))
}
