import type { Feed, Reading, Snapshot } from '../../client/index.ts'
import type { FeedState } from '../../status/feedStatus.ts'
import { versionAt } from '../headers.ts'
import { FeedNotFoundError } from '../notFound.ts'
import { preparedStatus } from '../status.ts'

/** @throws {FeedNotFoundError} when the feed is not registered, or has no value. */
export async function readReading(at: Snapshot, feedId: string): Promise<Reading> {
  return (await at.getReading(feedId)) ?? fail(at, feedId)
}

/** @throws {FeedNotFoundError} when the feed is not registered. */
export async function readFeed(at: Snapshot, feedId: string): Promise<Feed> {
  return (await at.getReading(feedId)) ?? (await at.getFeed(feedId)) ?? fail(at, feedId)
}

/** Returns the state of a feed in the release calendar; `unknown` without a value. */
export async function readState(at: Snapshot, feedId: string, now: number): Promise<FeedState> {
  const reading = await at.getReading(feedId)
  return reading === null ? 'unknown' : preparedStatus(reading)(now).state
}

async function fail(at: Snapshot, feedId: string): Promise<never> {
  throw new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))
}
