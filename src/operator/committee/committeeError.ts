import { defineError } from '../../defineError.ts'

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
export const CommitteeError = defineError(
  'CommitteeError',
  'committee',
  (facts: { reason: CommitteeReason; message: string }) => facts.message,
)
