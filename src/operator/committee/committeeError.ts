import { defineError } from '@wattfeed/base'

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

export const CommitteeError = defineError(
  'CommitteeError',
  'committee',
  (facts: { reason: CommitteeReason; message: string }) => facts.message,
)
