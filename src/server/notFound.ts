import { type FeedAbsence, HiddenValueError, type Snapshot } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import { versionAt } from './answerAt.ts'

export class FeedNotFoundError extends WattfeedError {
  static override readonly name = 'FeedNotFoundError'
  readonly code = 'feed_not_found'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** Null if unknown. */
    readonly stateRootHash: string | null,
    /** Null if there is none. */
    readonly version: string | null = null,
    /** The proof of it; null if there is no evidence. Undefined on endpoints that do not prove it. */
    readonly absence?: FeedAbsence | null,
  ) {
    super(`feed not found on-chain: ${feedId}`)
  }
}

export class ValueNotFoundError extends WattfeedError {
  static override readonly name = 'ValueNotFoundError'
  readonly code = 'value_not_found'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    readonly index: number,
    readonly count: number,
    readonly stateRootHash: string,
    /** Null if there is none. */
    readonly version: string | null = null,
  ) {
    super(`index ${index} is out of range: ${feedId} has values 0 to ${count - 1}`)
  }
}

/** Returns the error for a feed that is not registered, or has no value. */
export const feedNotFound = async (at: Snapshot, feedId: string): Promise<FeedNotFoundError> =>
  new FeedNotFoundError(feedId, at.stateRootHash, await versionAt(at))

/** Returns the error for a missing value: the feed is unknown, the index is out of range, or a node hides the value. */
export async function valueNotFound(
  at: Snapshot,
  feedId: string,
  index: number | null,
): Promise<WattfeedError> {
  const [count, version] = await Promise.all([at.getValueCount(feedId), versionAt(at)])
  if (index === null || count === 0) return new FeedNotFoundError(feedId, at.stateRootHash, version)
  // The value was attested after the block that should prove it, or a node hides it.
  if (index < count) return new HiddenValueError(`the value ${index} of ${feedId}`)
  return new ValueNotFoundError(feedId, index, count, at.stateRootHash, version)
}
