import { FeedNotRegisteredError } from '../../agent/feeds/feedNotRegisteredError.ts'
import type { Client } from '../../client/createClient.ts'

/** Who may attest to a feed. */
export interface Claimant {
  feed_id: string
  /** `account-hash-…` or `hash-…` */
  claimant: string
}

/** Reads who may attest to a feed. Throws a `FeedNotRegisteredError`. */
export async function readClaimant(client: Client, feedId: string): Promise<Claimant> {
  const claimant = await client.getClaimant(feedId)
  if (claimant === null) throw new FeedNotRegisteredError(feedId)
  return { feed_id: feedId, claimant }
}
