import { WattfeedError } from '../../errors.ts'

/** A feed id that the chain does not have. */
export class FeedNotRegisteredError extends WattfeedError {
  static override readonly name = 'FeedNotRegisteredError'
  readonly code = 'feed_not_registered'
  readonly retryable = false

  constructor(readonly feedId: string) {
    super(`${feedId} is not registered on this chain; "list" shows what is, "register" registers it`)
  }
}
