import { WattfeedError } from '@wattfeed/base'

/** A link of the chain of trust from a trusted block hash to the head. */
export type VerificationLink = 'trusted block' | 'switch block' | 'finality signatures' | 'head' | 'head age'

/**
 * A block that is not proven: forged, not final, or too old. Another node may have a proven one.
 *
 * @example
 * ```ts
 * import { AllNodesFailedError, VerificationError } from 'wattfeed'
 *
 * try {
 *   await client.getReading('EIA.PET.PRICE.WTI.DAILY')
 * } catch (error) {
 *   if (!(error instanceof AllNodesFailedError)) throw error
 *   for (const { host, error: cause } of error.failures)
 *     if (cause instanceof VerificationError) console.error(host, cause.link, cause.rule)
 * }
 * ```
 */
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
