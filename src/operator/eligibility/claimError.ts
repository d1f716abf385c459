import { WattfeedError } from '../../errors.ts'

/** Why a claim was not sent. */
export type ClaimReason = 'other_account' | 'unknown_root' | 'nullifier_used' | 'pending_file'

/** Something that would make a claim fail, found before it was sent. */
export class ClaimError extends WattfeedError {
  static override readonly name = 'ClaimError'
  readonly code = 'claim'
  readonly retryable = false

  constructor(
    readonly reason: ClaimReason,
    message: string,
  ) {
    super(message)
  }
}
