import { createPrivateKey, sign } from 'node:crypto'
import { blake2b } from '../blake2b.ts'
import { createDevnetAccount } from './keys.ts'

/** A validator of a devnet. Its secret key is public: it comes from the seed. */
export interface Validator {
  /** Hex, after the byte that names the algorithm. */
  readonly publicKey: string
  /** What it stakes when the chain begins, in motes. */
  readonly stakeMotes: bigint
  /** Its finality signature of a message, in hex after the byte that names the algorithm. */
  sign(message: Uint8Array): string
}

const utf8 = new TextEncoder()
const MOTES_OF_A_STAKE_UNIT = 100_000_000_000_000n

/**
 * The validators of a seed, by public key, as a chain lists them.
 *
 * Their stakes are 3, 4, 5 … units, so that of three any two but the lightest pair weigh two thirds or more, and one
 * of the pairs exactly two thirds.
 */
export function createValidators(seed: Uint8Array, count: number): Validator[] {
  const own = blake2b(seed, utf8.encode('validators'))
  const validators = Array.from({ length: count }, (_, index) => createValidator(own, index))
  return validators.sort((a, b) => (a.publicKey < b.publicKey ? -1 : 1))
}

function createValidator(seed: Uint8Array, index: number): Validator {
  const { publicKey, secretKeyPem } = createDevnetAccount(seed, index)
  const secretKey = createPrivateKey(secretKeyPem)
  return {
    publicKey,
    stakeMotes: MOTES_OF_A_STAKE_UNIT * BigInt(index + 3),
    sign: (message) => `01${sign(null, message, secretKey).toString('hex')}`,
  }
}
