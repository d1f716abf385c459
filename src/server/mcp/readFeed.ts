import type { Feed, Snapshot } from 'wattfeed'
import type { FeedState } from '../../feeds/status/feedStatus.ts'
import { feedNotFound } from '../notFound.ts'
import { statusAt } from '../readers/statusAt.ts'

/** Reads the metadata of a feed. @throws {FeedNotFoundError} when it is not registered. */
export async function readFeed(at: Snapshot, feedId: string): Promise<Feed> {
  // The readings of listed feeds are known without a call.
  const feed = (await at.getReading(feedId)) ?? (await at.getFeed(feedId))
  if (feed === null) throw await feedNotFound(at, feedId)
  return feed
}

/** Returns the state of a feed in the release calendar; `unknown` without a value. */
export async function readFeedState(at: Snapshot, feedId: string, now: number): Promise<FeedState> {
  const reading = await at.getReading(feedId)
  return reading === null ? 'unknown' : statusAt(reading, now).state
}

export interface McpAttester {
  readonly attester: string | null
  /** Whether it is the account that runs the registries, not a stranger. */
  readonly attester_is_first_party: boolean
}

/** Returns who may attest to a feed, from which a reader can judge whose feed it is. */
export async function readAttester(at: Snapshot, feedId: string): Promise<McpAttester> {
  const [attester, first] = await Promise.all([at.getClaimant(feedId), at.getFirstPartyAttester()])
  return { attester, attester_is_first_party: attester === first }
}

export const describeAttester = ({ attester_is_first_party }: McpAttester): string =>
  attester_is_first_party ? "its attester is the registry's own account" : 'its attester is a third party'
