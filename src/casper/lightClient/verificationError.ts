import { WattfeedError } from '../../errors.ts'

/** A link of the chain of trust from a trusted block hash to the head. */
export type VerificationLink = 'trusted block' | 'switch block' | 'finality signatures' | 'head' | 'head age'

/** A block that is not proven: forged, not final, or too old. It comes from a bad node: another is asked. */
export class VerificationError extends WattfeedError {
  static override readonly name = 'VerificationError'
  readonly code = 'verification'
  readonly retryable = true

  constructor(
    /** Which link broke. */
    readonly link: VerificationLink,
    /** Which rule it broke. */
    readonly rule: string,
  ) {
    super(
      `the chain of trust broke: ${link}: ${rule}; ask another node, or check the trusted block and this machine's clock`,
    )
  }
}
