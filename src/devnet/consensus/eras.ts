import type { EraEnd, ValidatorWeight } from '../../casper/types/blockHeader.ts'
import type { Validator } from './validators.ts'

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
