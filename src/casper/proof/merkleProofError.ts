import { WattfeedError } from '../../errors.ts'

/** Where the chain from a value to a state root broke. */
export type ProofLink = 'encoding' | 'key' | 'path' | 'state root' | 'dictionary item' | 'stored value'

/** A `merkle_proof` that proves nothing, or something else. It comes from a bad node: ask another one. */
export class MerkleProofError extends WattfeedError {
  static override readonly name = 'MerkleProofError'
  readonly code = 'merkle_proof'
  readonly retryable = true

  constructor(
    /** What was to be proven. */
    readonly what: string,
    readonly link: ProofLink,
    /** Which rule the proof broke. */
    readonly rule: string,
  ) {
    super(`${what} is not proven: ${link}: ${rule}; ask another node`)
  }
}
