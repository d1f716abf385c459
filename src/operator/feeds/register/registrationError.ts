import { defineError } from '@wattfeed/base'

export type RegistrationReason =
  | 'other_claimant'
  | 'no_gate'
  | 'unknown_gate'
  | 'not_eligible'
  | 'rescales'
  | 'too_many_columns'

/** A feed cannot be registered as asked: the contract would reject it, or it would re-scale values. Nothing was sent for it. */
export const RegistrationError = defineError(
  'RegistrationError',
  'registration',
  (facts: { reason: RegistrationReason; message: string }) => facts.message,
)
