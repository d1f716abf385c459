import { WattfeedError } from '../../errors.ts'

/** Why a registration was not sent. */
export type RegistrationReason =
  | 'other_claimant'
  | 'no_gate'
  | 'unknown_gate'
  | 'not_eligible'
  | 'pending_file'

/** Something that would make a registration fail, found before it was sent. */
export class RegistrationError extends WattfeedError {
  static override readonly name = 'RegistrationError'
  readonly code = 'registration'
  readonly retryable = false

  constructor(
    readonly reason: RegistrationReason,
    message: string,
  ) {
    super(message)
  }
}
