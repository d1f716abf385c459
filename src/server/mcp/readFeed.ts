import type { Feed, Reading, Snapshot } from '../../client/index.ts'
import { versionAt } from '../headers.ts'
import { FeedNotFoundError } from '../notFound.ts'

/** @throws {FeedNotFoundError} when the feed is not registered, or has no value. */
export async function readReading(at: Snapshot, feedId: string): Promise<Reading> {
  return (await at.getReading(feedId)) ?? fail(at, feedId)
}

/** @throws {FeedNotFoundError} when the feed is not registered. */
export async function readFeed(at: Snapshot, feedId: string): Promise<Feed> {
  return (await at.getReading(feedId)) ?? (await at.getFeed(feedId)) ?? fail(at, feedId)
}

async function fail(at: Snapshot, feedId: string): Promise<never> {
  throw new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))
}
