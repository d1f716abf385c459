import { WattfeedError } from '../errors.ts'

/** A feed id that is not registered, or registered without a value, at a state root. */
export class FeedNotFoundError extends WattfeedError {
  static override readonly name = 'FeedNotFoundError'
  readonly code = 'feed_not_found'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** Null where it is not known. */
    readonly stateRootHash: string | null,
  ) {
    super(`feed not found on-chain: ${feedId}; GET /v1/feeds lists all that are`)
  }
}
