import { WattfeedError } from '@wattfeed/base'

/** A link between a value and a state root. */
export type ProofLink =
  | 'encoding'
  | 'key'
  | 'path'
  | 'state root'
  | 'trie element'
  | 'dictionary item'
  | 'stored value'

/**
 * A proof that does not prove the value or its absence. Another node may return a valid one.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, MerkleProofError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures)
 *     if (cause instanceof MerkleProofError) console.error(host, cause.what, cause.link)
 * }
 * ```
 */
export class MerkleProofError extends WattfeedError {
  static override readonly name = 'MerkleProofError'
  readonly code = 'merkle_proof'
  readonly retryable = true

  constructor(
    /** The value that was to be proven. */
    readonly what: string,
    /** The link that broke. */
    readonly link: ProofLink,
    /** The violated rule. */
    readonly rule: string,
  ) {
    super(`${what} is not proven: ${link}: ${rule}; try another node`)
  }
}
