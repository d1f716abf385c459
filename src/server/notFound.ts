import type { WattfeedError } from '@wattfeed/base'
import { type FeedAbsence, HiddenValueError, type Reading, type Snapshot } from 'wattfeed'
import { originHeaders, versionAt } from './answerAt.ts'
import { defineHttpError } from './http/httpError.ts'

/** Reads the newest value of a feed. @throws {FeedNotFoundError} when the feed is not registered, or has no value. */
export async function readReading(at: Snapshot, feedId: string): Promise<Reading> {
  const reading = await at.getReading(feedId)
  if (reading === null) throw await feedNotFound(at, feedId)
  return reading
}

export const FeedNotFoundError = defineHttpError(
  'FeedNotFoundError',
  'feed_not_found',
  (facts: {
    feedId: string
    /** Null if unknown. */
    stateRootHash: string | null
    /** Null if there is none, or if it is unknown. */
    version: string | null
    /** The proof of it; null if there is no evidence. Undefined on endpoints that do not prove it. */
    absence?: FeedAbsence | null
  }) => feedNotFoundText(facts.feedId),
  {
    status: 404,
    headers: ({ stateRootHash, version }) =>
      stateRootHash === null ? {} : originHeaders(stateRootHash, version),
    body: ({ absence }) => (absence === undefined ? {} : { absence }),
  },
)

export const feedNotFoundText = (feedId: string): string => `feed not found on-chain: ${feedId}`

const ValueNotFoundError = defineHttpError(
  'ValueNotFoundError',
  'value_not_found',
  (facts: {
    feedId: string
    index: number
    count: number
    stateRootHash: string
    /** Null if there is none. */
    version: string | null
  }) => `index ${facts.index} is out of range: ${facts.feedId} has values 0 to ${facts.count - 1}`,
  { status: 404, headers: ({ stateRootHash, version }) => originHeaders(stateRootHash, version) },
)

/** Returns the error for a feed that is not registered, or has no value. */
export const feedNotFound = async (at: Snapshot, feedId: string): Promise<WattfeedError> =>
  new FeedNotFoundError({ feedId, stateRootHash: at.stateRootHash, version: await versionAt(at) })

/** Returns the error for a missing value: the feed is unknown, the index is out of range, or a node hides the value. */
export async function valueNotFound(
  at: Snapshot,
  feedId: string,
  index: number | null,
): Promise<WattfeedError> {
  const [count, version] = await Promise.all([at.getValueCount(feedId), versionAt(at)])
  const { stateRootHash } = at
  if (index === null || count === 0) return new FeedNotFoundError({ feedId, stateRootHash, version })
  // The value was attested after the block that should prove it, or a node hides it.
  if (index < count) return new HiddenValueError(`the value ${index} of ${feedId}`)
  return new ValueNotFoundError({ feedId, index, count, stateRootHash, version })
}
