import { defineError } from '@wattfeed/base'

export type ProverReason =
  | 'account'
  | 'gate'
  | 'group_file'
  | 'identity_file'
  | 'not_a_member'
  | 'packages'
  | 'proof_file'
  | 'public_key'
  | 'root'

/** A command of the prover cannot run. The message never includes an identity's secret. */
export const ProverError = defineError(
  'ProverError',
  'prover',
  (facts: { reason: ProverReason; message: string }) => facts.message,
)
export type ProverError = InstanceType<typeof ProverError>
