import { WattfeedError } from '../../errors.ts'

/** Why a change of an account's keys was not sent. */
export type CommitteeReason =
  | 'no_account'
  | 'too_heavy'
  | 'no_steps'
  | 'several_steps'
  | 'too_early'
  | 'too_light'
  | 'account_changed'
  | 'account_differs'
  | 'session_failed'

/** A change of an account's keys must not be sent, or did not have its effect. */
export class CommitteeError extends WattfeedError {
  static override readonly name = 'CommitteeError'
  readonly code = 'committee'
  readonly retryable = false

  constructor(
    readonly reason: CommitteeReason,
    message: string,
  ) {
    super(message)
  }
}
