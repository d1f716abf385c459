import type { Block } from '../../casper/types/block.ts'
import type { BlockHeader, EraEnd, ValidatorWeight } from '../../casper/types/blockHeader.ts'
import { blake2b } from '../blake2b.ts'
import type { Validator } from './validators.ts'

const NO_HASH = '0'.repeat(64)

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

/** Returns the hash of the previous era's last block. All blocks of an era refer to it, including its last block. */
function lastSwitchBlockHash(parent: Block | null): string | null {
  if (parent === null) return null
  return parent.header.eraEnd === null ? parent.header.lastSwitchBlockHash : parent.hash
}

/** Maximum delay of a reward in blocks. This chain always rewards in the next block. */
const MAX_DELAY = 3

/**
 * Returns a block's `rewarded_signatures`: for each previous block, newest first, a bit for each validator. Only the
 * parent's signatures are rewarded, because the parent has already rewarded those of older blocks.
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

/** The eras of a chain and the validators' weights, computed from heights. */
export interface Eras {
  eraIdAt(height: number): number
  weightsOf(eraId: number): ValidatorWeight[]
  /** Returns the era end of the block at a height, or null if it does not end an era. */
  eraEndAt(height: number): EraEnd | null
}

/** A validator's reward per era is its initial stake divided by this number, so the weights stay in proportion. */
const ERAS_TO_DOUBLE = 500_000n

export function createEras(validators: readonly Validator[], eraLength: number): Eras {
  const rewardOf = ({ stakeMotes }: Validator): bigint => stakeMotes / ERAS_TO_DOUBLE
  const eraIdAt = (height: number): number => Math.ceil(height / eraLength)

  // A reward adds to the weight two eras after the era in which it was earned. Era 0 has no rewards.
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
