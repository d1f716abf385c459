import { WattfeedError } from '../../errors.ts'
import type { FeedConfig } from './feedConfig.ts'

/** A feed id that the feeds file does not have. */
export class UnknownFeedError extends WattfeedError {
  static override readonly name = 'UnknownFeedError'
  readonly code = 'unknown_feed'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** Ids of the file that it is a part of, in any letter case. */
    readonly similar: readonly string[],
  ) {
    const hint =
      similar.length === 0 ? '"feeds list" shows what there is' : `did you mean ${similar.join(', ')}?`
    super(`the feeds file has no feed ${JSON.stringify(feedId)}; ${hint}`)
  }
}

const MOST_SIMILAR = 5

/** The feed with this id. Throws an {@link UnknownFeedError}. */
export function pickFeed(feeds: readonly FeedConfig[], feedId: string): FeedConfig {
  const found = feeds.find(({ feed_id }) => feed_id === feedId)
  if (found !== undefined) return found
  const similar = feeds.map(({ feed_id }) => feed_id).filter((id) => id.includes(feedId.toUpperCase()))
  throw new UnknownFeedError(feedId, similar.slice(0, MOST_SIMILAR))
}
