import { WattfeedError } from '../../errors.ts'

/** A link of the chain of trust from a trusted block hash to the head. */
export type VerificationLink = 'trusted block' | 'switch block' | 'finality signatures' | 'head' | 'head age'

/** A block is not proven: it is forged, not final, or too old. The node is at fault, so the next one is called. */
export class VerificationError extends WattfeedError {
  static override readonly name = 'VerificationError'
  readonly code = 'verification'
  readonly retryable = true

  constructor(
    /** The broken link. */
    readonly link: VerificationLink,
    /** The violated rule. */
    readonly rule: string,
  ) {
    super(
      `verification failed: ${link}: ${rule}; try another node, or check the trusted block and this machine's clock`,
    )
  }
}
