import { WattfeedError } from '../../errors.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { type Difference, listDifferences } from '../feeds/feedMetadata.ts'
import { FeedNotRegisteredError } from '../feeds/feedNotRegisteredError.ts'
import type { FeedState } from './feedReader.ts'

/** A feed that another account may attest to, and this key may not. */
export class FeedClaimedError extends WattfeedError {
  static override readonly name = 'FeedClaimedError'
  readonly code = 'feed_claimed'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** `account-hash-…` or `hash-…` */
    readonly claimant: string,
    /** `account-hash-…` of the key. */
    readonly accountHash: string,
  ) {
    super(
      `${feedId} is claimed by ${claimant}, and the key is that of ${accountHash}: use the claimant's key, or register a feed with another id`,
    )
  }
}

/** A feed whose values would mean something else on chain than what is configured. */
export class FeedMismatchError extends WattfeedError {
  static override readonly name = 'FeedMismatchError'
  readonly code = 'feed_mismatch'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    readonly differences: readonly Difference[],
  ) {
    const listed = differences.map(
      ({ field, configured, on_chain }) =>
        `${field} is ${JSON.stringify(configured)} in the feeds file and ${JSON.stringify(on_chain)} on chain`,
    )
    super(`${feedId} differs: ${listed.join(', ')}; change the feeds file, or register the feed again`)
  }
}

/** What decides on the meaning of an amount; titles and descriptions may differ. */
const binding: ReadonlySet<string> = new Set(['decimals', 'unit', 'route', 'frequency'])

/**
 * Throws unless the chain has the feed as it is configured and, where an account is given, lets it attest: a
 * {@link FeedNotRegisteredError}, {@link FeedClaimedError} or {@link FeedMismatchError}.
 */
export function assertAttestable(config: FeedConfig, state: FeedState, accountHash: string | null): void {
  const { feedId, feed, claimant } = state
  if (feed === null || claimant === null) throw new FeedNotRegisteredError(feedId)
  if (accountHash !== null && claimant !== accountHash)
    throw new FeedClaimedError(feedId, claimant, accountHash)
  const differences = listDifferences(config, feed).filter(({ field }) => binding.has(field))
  if (differences.length > 0) throw new FeedMismatchError(feedId, differences)
}
