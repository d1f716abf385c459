import { WattfeedError } from '../../src/errors.ts'

/** Which file or argument stands in the way. */
export type ProverReason =
  | 'account'
  | 'commitment'
  | 'gate'
  | 'group_file'
  | 'identity_file'
  | 'not_a_member'
  | 'packages'
  | 'proof_file'
  | 'root'

/** Something that keeps a proof from being made. The message holds nothing of an identity's secret. */
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
