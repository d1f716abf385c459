import type { Block } from '../../casper/types/block.ts'
import type { BlockHeader, EraEnd, ValidatorWeight } from '../../casper/types/blockHeader.ts'
import { blake2b } from '../blake2b.ts'
import type { Validator } from './validators.ts'

const NO_HASH = '0'.repeat(64)

/** What follows from the block before: how blocks are linked, counted and made random. */
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

/** All blocks of an era, its last one too, name the last block of the era before. */
function lastSwitchBlockHash(parent: Block | null): string | null {
  if (parent === null) return null
  return parent.header.eraEnd === null ? parent.header.lastSwitchBlockHash : parent.hash
}

/** For how many blocks a signature may wait for its reward; here the next one always has it. */
const MAX_DELAY = 3

/**
 * A block's `rewarded_signatures`: for each of the blocks before, the newest first, one bit for each validator. Who
 * has signed the parent is rewarded; nothing is left to reward of the blocks before that one.
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

/** When eras end, and who weighs what in them. All of it follows from the height. */
export interface Eras {
  /** The era of the block at a height. The first block is an era of its own. */
  eraIdAt(height: number): number
  /** What each validator weighs in an era, by public key. */
  weightsOf(eraId: number): ValidatorWeight[]
  /** What the block at a height says of the era that it ends, or null where it ends none. */
  eraEndAt(height: number): EraEnd | null
}

/** A validator earns this part of its first stake in every era, so that weights stay in proportion. */
const ERAS_TO_DOUBLE = 500_000n

/** Era 0 has one block, every other one `eraLength`. */
export function createEras(validators: readonly Validator[], eraLength: number): Eras {
  const rewardOf = ({ stakeMotes }: Validator): bigint => stakeMotes / ERAS_TO_DOUBLE
  const eraIdAt = (height: number): number => Math.ceil(height / eraLength)

  /** A reward counts from the second era on after the one that it was earned in; era 0 earns none. */
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
