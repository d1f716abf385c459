import type { EraEnd, ValidatorWeight } from '@wattfeed/casper/types'
import { GAS_PRICE } from '../chainspec.ts'
import type { Validator } from './validators.ts'

/** The first block of a protocol: genesis, or the block that activates an upgrade. It is an era of its own. */
export interface EraStart {
  readonly height: number
  readonly eraId: number
}

/** The eras of a protocol and the validators' weights, computed from heights. */
export interface Eras {
  eraIdAt(height: number): number
  /** Returns the start of the era after that of a height. */
  eraAfter(height: number): EraStart
  weightsOf(eraId: number): ValidatorWeight[]
  /** Returns the era end of the block at a height, or null if it does not end an era. */
  eraEndAt(height: number): EraEnd | null
}

/** A validator's reward per era is its initial stake divided by this number, so the weights stay in proportion. */
const ERAS_TO_DOUBLE = 500_000n

export function createEras(validators: readonly Validator[], eraLength: number, start: EraStart): Eras {
  const rewardOf = ({ stakeMotes }: Validator): bigint => stakeMotes / ERAS_TO_DOUBLE
  const erasBefore = (height: number): number => Math.ceil((height - start.height) / eraLength)
  const eraIdAt = (height: number): number => start.eraId + erasBefore(height)

  // A reward adds to the weight two eras after the era in which it was earned. Era 0 has no rewards.
  const weightsOf = (eraId: number): ValidatorWeight[] =>
    validators.map((validator) => ({
      validator: validator.publicKey,
      weight: validator.stakeMotes + rewardOf(validator) * BigInt(Math.max(0, eraId - 2)),
    }))

  return {
    eraIdAt,
    eraAfter: (height) => ({
      height: start.height + erasBefore(height) * eraLength + 1,
      eraId: eraIdAt(height) + 1,
    }),
    weightsOf,
    eraEndAt(height) {
      if ((height - start.height) % eraLength !== 0) return null
      return {
        equivocators: [],
        inactiveValidators: [],
        nextEraValidatorWeights: weightsOf(eraIdAt(height) + 1),
        rewards: height === 0 ? [] : validators.map((each) => [each.publicKey, [rewardOf(each)]]),
        nextEraGasPrice: GAS_PRICE,
      }
    },
  }
}
