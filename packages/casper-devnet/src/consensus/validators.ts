import { createPrivateKey, sign } from 'node:crypto'
import { blake2b } from '../blake2b.ts'
import { createDevnetAccount } from '../devnetAccount.ts'

/** A validator of a devnet. Its secret key is public, because it is derived from the seed. */
export interface Validator {
  readonly publicKey: string
  readonly stakeMotes: bigint
  sign(message: Uint8Array): string
}

const utf8 = new TextEncoder()
const STAKE_UNIT_MOTES = 100_000_000_000_000n

/**
 * Derives validators from a seed, sorted by public key like on chain.
 *
 * Their stakes are 3, 4, 5 … units. Of three validators, the pairs have less than, exactly and more than two thirds of the
 * weight.
 */
export function createValidators(seed: Uint8Array, count: number): Validator[] {
  const validatorSeed = blake2b(seed, utf8.encode('validators'))
  const validators = Array.from({ length: count }, (_, index) => createValidator(validatorSeed, index))
  return validators.sort((a, b) => (a.publicKey < b.publicKey ? -1 : 1))
}

function createValidator(seed: Uint8Array, index: number): Validator {
  const { publicKey, secretKeyPem } = createDevnetAccount(seed, index)
  const secretKey = createPrivateKey(secretKeyPem)
  return {
    publicKey,
    stakeMotes: STAKE_UNIT_MOTES * BigInt(index + 3),
    sign: (message) => `01${sign(null, message, secretKey).toString('hex')}`,
  }
}
