import { WattfeedError } from '../../errors.ts'

/** The link that broke between a value and a state root. */
export type ProofLink = 'encoding' | 'key' | 'path' | 'state root' | 'dictionary item' | 'stored value'

/** A `merkle_proof` that proves nothing, or something else. It comes from a bad node: ask another. */
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
