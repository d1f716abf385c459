import type { Client } from '../../client/createClient.ts'
import type { Reads } from '../../client/reads.ts'
import { WattfeedError } from '../../errors.ts'
import type { Attestation } from '../../registry/attestation.ts'
import type { Feed } from '../../registry/feed.ts'

/** What the chain holds of a feed, all at one state root. */
export interface FeedState {
  feedId: string
  /** Null where it is not registered. */
  feed: Feed | null
  /** Null where there is no value yet. */
  latest: Attestation | null
  /** Who may attest to it, as `account-hash-…` or `hash-…`; null where it is not registered. */
  claimant: string | null
}

/** A node that shows an older value than was seen before: what it says decides nothing. */
export class LaggingValueError extends WattfeedError {
  static override readonly name = 'LaggingValueError'
  readonly code = 'lagging_value'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    /** Block time of the newest value that was seen, in epoch milliseconds. */
    readonly seenAt: number,
  ) {
    super(
      `the node lags behind: it does not know the value of ${feedId} of ${new Date(seenAt).toISOString()} yet; it is asked again later`,
    )
  }
}

/** Reads feeds, and remembers how new the newest value was. */
export interface FeedReader {
  /** Throws a {@link LaggingValueError}, and what the client throws where the chain cannot be read. */
  read(feedId: string): Promise<FeedState>
  /** This value is on chain: from now on a node that does not know it is not believed. */
  saw(feedId: string, value: Pick<Attestation, 'timestamp'>): void
}

/** Makes a reader. Behind a load balancer the next node may know less than the last one. */
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
