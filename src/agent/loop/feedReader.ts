import type { Client } from '../../client/createClient.ts'
import type { Reads } from '../../client/reads.ts'
import { WattfeedError } from '../../errors.ts'
import type { Attestation } from '../../registry/attestation.ts'
import type { Feed } from '../../registry/feed.ts'

/** A feed on chain, at one state root. */
export interface FeedState {
  feedId: string
  /** Null if it is not registered. */
  feed: Feed | null
  /** Null if there is no value yet. */
  latest: Attestation | null
  /** Who may attest to it, as `account-hash-…` or `hash-…`; null if it is not registered. */
  claimant: string | null
}

/** A node shows an older value than was seen before: its answer must not be used. */
export class LaggingValueError extends WattfeedError {
  static override readonly name = 'LaggingValueError'
  readonly code = 'lagging_value'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    /** Block time of the newest value seen, in epoch milliseconds. */
    readonly seenAt: number,
  ) {
    super(
      `the node lags behind: it does not know the value of ${feedId} of ${new Date(seenAt).toISOString()} yet; it is asked again later`,
    )
  }
}

/** Reads feeds, and remembers the time of each newest value. */
export interface FeedReader {
  /** Reads a feed. @throws {LaggingValueError} and what the client throws. */
  read(feedId: string): Promise<FeedState>
  /** Records that a value is on chain: from now on a node without it is lagging. */
  saw(feedId: string, value: Pick<Attestation, 'timestamp'>): void
}

/** Creates a reader. Behind a load balancer the next node may lag behind the last one. */
export function createFeedReader(client: Pick<Client, 'withSnapshot'>): FeedReader {
  const newest = new Map<string, number>()

  function saw(feedId: string, { timestamp }: Pick<Attestation, 'timestamp'>): void {
    newest.set(feedId, Math.max(timestamp, newest.get(feedId) ?? 0))
  }

  async function readAt(at: Reads, feedId: string): Promise<FeedState> {
    const [feed, latest, claimant] = await Promise.all([
      at.getFeed(feedId),
      at.getValue(feedId),
      at.getClaimant(feedId),
    ])
    const seenAt = newest.get(feedId)
    if (seenAt !== undefined && (latest?.timestamp ?? 0) < seenAt) throw new LaggingValueError(feedId, seenAt)
    if (latest) saw(feedId, latest)
    return { feedId, feed, latest, claimant }
  }

  return {
    saw,
    read: (feedId) => client.withSnapshot((at) => readAt(at, feedId)),
  }
}
