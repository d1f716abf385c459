import { WattfeedError } from '../../errors.ts'

/** Why nothing was sent. */
export type PreflightReason =
  | 'no_account'
  | 'balance'
  | 'not_owner'
  | 'old_version'
  | 'locked'
  | 'no_access'
  | 'not_installed'
  | 'deployment_file'

/** Something that would make a transaction fail, found before it was sent. */
export class PreflightError extends WattfeedError {
  static override readonly name = 'PreflightError'
  readonly code = 'preflight'
  readonly retryable = false

  constructor(
    readonly reason: PreflightReason,
    message: string,
  ) {
    super(message)
  }
}
