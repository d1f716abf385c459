import { WattfeedError } from '../../errors.ts'

/** The file or argument that is wrong. */
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
export class ProverError extends WattfeedError {
  static override readonly name = 'ProverError'
  readonly code = 'prover'
  readonly retryable = false

  constructor(
    readonly reason: ProverReason,
    message: string,
  ) {
    super(message)
  }
}
