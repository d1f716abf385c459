import { WattfeedError } from '../../errors.ts'

/** Why no entry was written. */
export type NewFeedReason = 'missing' | 'unknown' | 'wrong_feed' | 'feeds_file'

/** A new feed that cannot be written as it was asked for. */
export class NewFeedError extends WattfeedError {
  static override readonly name = 'NewFeedError'
  readonly code = 'new_feed'
  readonly retryable = false

  constructor(
    readonly reason: NewFeedReason,
    message: string,
  ) {
    super(message)
  }
}
