import type { Block } from '../../casper/types/block.ts'
import type { BlockHeader, EraEnd, ValidatorWeight } from '../../casper/types/blockHeader.ts'
import { blake2b } from '../blake2b.ts'
import type { Validator } from './validators.ts'

const NO_HASH = '0'.repeat(64)

/** Returns the header fields that follow from the parent. */
export function nextHeader(
  parent: Block | null,
  seed: Uint8Array,
): Pick<BlockHeader, 'parentHash' | 'height' | 'randomBit' | 'accumulatedSeed' | 'lastSwitchBlockHash'> {
  const parentHash = parent?.hash ?? NO_HASH
  const randomBit = (blake2b(seed, Uint8Array.fromHex(parentHash))[0] ?? 0) > 127
  return {
    parentHash,
    height: parent === null ? 0 : parent.header.height + 1,
    randomBit,
    accumulatedSeed: accumulateSeed(parent?.header.accumulatedSeed ?? NO_HASH, randomBit),
    lastSwitchBlockHash: lastSwitchBlockHash(parent),
  }
}

function accumulateSeed(before: string, randomBit: boolean): string {
  return blake2b(Uint8Array.fromHex(before), Uint8Array.of(randomBit ? 1 : 0)).toHex()
}

/** All blocks of an era, including its last, refer to the last block of the previous era. */
function lastSwitchBlockHash(parent: Block | null): string | null {
  if (parent === null) return null
  return parent.header.eraEnd === null ? parent.header.lastSwitchBlockHash : parent.hash
}

/** Maximum delay of a reward in blocks; here it always comes in the next block. */
const MAX_DELAY = 3

/**
 * Returns a block's `rewarded_signatures`: a bit for each validator, for each previous block, the newest first. Only
 * signatures of the parent are rewarded: those of older blocks already were.
 */
export function rewardedSignatures(parent: Block | null, publicKeys: readonly string[]): number[][] {
  if (parent === null) return []
  const bits = new Uint8Array(Math.ceil(publicKeys.length / 8))
  const signers = new Set(parent.proofs.map(({ publicKey }) => publicKey))
  for (const [index, publicKey] of publicKeys.entries())
    if (signers.has(publicKey)) bits[index >> 3] = (bits[index >> 3] ?? 0) | (128 >> (index % 8))
  const older = Math.min(parent.header.height, MAX_DELAY - 1)
  return [[...bits], ...Array.from({ length: older }, () => Array<number>(bits.length).fill(0))]
}

/** Ends of eras and weights of validators, computed from the height. */
export interface Eras {
  /** Returns the era of the block at a height. The genesis block is an era by itself. */
  eraIdAt(height: number): number
  /** Returns the weight of each validator in an era. */
  weightsOf(eraId: number): ValidatorWeight[]
  /** Returns the era end of the block at a height, or null if it does not end an era. */
  eraEndAt(height: number): EraEnd | null
}

/** In every era a validator earns its initial stake divided by this, which keeps weights in proportion. */
const ERAS_TO_DOUBLE = 500_000n

/** Returns the eras of a chain: era 0 has one block, every other era `eraLength`. */
export function createEras(validators: readonly Validator[], eraLength: number): Eras {
  const rewardOf = ({ stakeMotes }: Validator): bigint => stakeMotes / ERAS_TO_DOUBLE
  const eraIdAt = (height: number): number => Math.ceil(height / eraLength)

  // A reward counts from two eras after the one that earned it; era 0 earns none.
  const weightsOf = (eraId: number): ValidatorWeight[] =>
    validators.map((validator) => ({
      validator: validator.publicKey,
      weight: validator.stakeMotes + rewardOf(validator) * BigInt(Math.max(0, eraId - 2)),
    }))

  return {
    eraIdAt,
    weightsOf,
    eraEndAt(height) {
      if (height % eraLength !== 0) return null
      return {
        equivocators: [],
        inactiveValidators: [],
        nextEraValidatorWeights: weightsOf(eraIdAt(height) + 1),
        rewards: height === 0 ? [] : validators.map((each) => [each.publicKey, [rewardOf(each)]]),
        nextEraGasPrice: 1,
      }
    },
  }
}
