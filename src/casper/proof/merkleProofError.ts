import { WattfeedError } from '../../errors.ts'

/** A link between a value and a state root. */
export type ProofLink = 'encoding' | 'key' | 'path' | 'state root' | 'dictionary item' | 'stored value'

/** A `merkle_proof` is invalid or proves something else. The node is at fault, so another node may have a valid one. */
export class MerkleProofError extends WattfeedError {
  static override readonly name = 'MerkleProofError'
  readonly code = 'merkle_proof'
  readonly retryable = true

  constructor(
    /** Name of the value to prove. */
    readonly what: string,
    /** The broken link. */
    readonly link: ProofLink,
    /** The violated rule. */
    readonly rule: string,
  ) {
    super(`${what} is not proven: ${link}: ${rule}; try another node`)
  }
}
