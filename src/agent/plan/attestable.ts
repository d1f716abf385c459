import type { EiaRow } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import type { Attestation } from '../../registry/attestation.ts'
import type { Feed } from '../../registry/feed.ts'
import {
  type Difference,
  type FeedConfig,
  FeedNotRegisteredError,
  listDifferences,
  listRecipeDifferences,
  type RecipeDifference,
} from '../feeds/feedConfig.ts'

/** A feed on chain, at one state root. */
export interface FeedState {
  /** Null if it is not registered. */
  readonly feed: Feed | null
  /** Null if it has no value yet. */
  readonly latest: Attestation | null
  /** The account or contract that may attest to it, as `account-hash-…` or `hash-…`; null if it is not registered. */
  readonly claimant: string | null
}

/** A feed that belongs to another account than the key's. */
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
      `${feedId} is claimed by ${claimant}, but the key belongs to ${accountHash}: use the claimant's key, or register a feed with another id`,
    )
  }
}

/** The feed on chain has another meaning or another series than the configured one. */
export class FeedMismatchError extends WattfeedError {
  static override readonly name = 'FeedMismatchError'
  readonly code = 'feed_mismatch'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    readonly differences: readonly (Difference | RecipeDifference)[],
  ) {
    const listed = differences.map(
      ({ field, configured, on_chain }) =>
        `${field} is ${wordsOf(configured)} in the feeds file and ${wordsOf(on_chain)} on chain`,
    )
    super(
      `${feedId} differs: ${listed.join(', ')}; correct the feeds file. To change the feed on purpose, give it another id, or run "feeds register ${feedId}" if its history may continue with the changed feed`,
    )
  }
}

const wordsOf = (value: string | number | null): string => (value === null ? 'absent' : JSON.stringify(value))

/** The fields that determine the meaning of an amount; titles and the words of descriptions may differ. */
const binding: ReadonlySet<string> = new Set(['decimals', 'unit', 'route', 'frequency'])

/**
 * Asserts that the feed on chain and its recipe, if any, match the configuration, and that the account may attest it.
 *
 * @param accountHash null skips the check of the account
 *
 * @throws {FeedNotRegisteredError | FeedClaimedError | FeedMismatchError}
 */
export function assertAttestable(config: FeedConfig, state: FeedState, accountHash: string | null): void {
  const { feed, claimant } = state
  if (feed === null || claimant === null) throw new FeedNotRegisteredError(config.feed_id)
  if (accountHash !== null && claimant !== accountHash)
    throw new FeedClaimedError(config.feed_id, claimant, accountHash)
  const differences = [
    ...listDifferences(config, feed).filter(({ field }) => binding.has(field)),
    ...(listRecipeDifferences(config, feed) ?? []),
  ]
  if (differences.length > 0) throw new FeedMismatchError(config.feed_id, differences)
}

const publicNetworks: ReadonlySet<string> = new Set(['casper', 'casper-test'])

/** Whether this is one of Casper's public networks: main or test. */
export const isPublicNetwork = (chainName: string): boolean => publicNetworks.has(chainName)

/** A feed that is not verified to have a series at EIA. */
export class UnverifiedFeedError extends WattfeedError {
  static override readonly name = 'UnverifiedFeedError'
  readonly code = 'feed_unverified'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** Why it is not verified. */
    readonly reason: string,
    readonly chainName: string,
  ) {
    super(
      `${feedId} is not attested to ${chainName}, because its series is not verified (${reason}): run "feeds check ${feedId}", then remove "unverified" from the feeds file`,
    )
  }
}

/** EIA states another unit than the configured one, so the same digits mean another value. */
export class UnitChangedError extends WattfeedError {
  static override readonly name = 'UnitChangedError'
  readonly code = 'unit_changed'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** EIA's unit; null if the row has none. */
    readonly stated: string | null,
    /** The configured `upstream_unit`. */
    readonly expected: string,
  ) {
    const states = stated === null ? 'no unit' : `the unit ${JSON.stringify(stated)}`
    super(
      `EIA states ${states} for ${feedId}, not ${JSON.stringify(expected)}: nothing is attested until the feed is changed. If only the words changed, move the old ones to earlier_upstream_units, set upstream_unit and run "feeds register". If the meaning changed, register a feed with another id`,
    )
  }
}

/** Asserts that the feed may be attested to this network. @throws {UnverifiedFeedError} */
export function assertVerified({ feed_id, unverified }: FeedConfig, chainName: string): void {
  if (unverified !== undefined && isPublicNetwork(chainName))
    throw new UnverifiedFeedError(feed_id, unverified, chainName)
}

/** Asserts that a row is in the feed's unit, if it names one. @throws {UnitChangedError} */
export function assertUnit({ statedUnit }: EiaRow, { feed_id, upstream_unit }: FeedConfig): void {
  if (upstream_unit !== undefined && statedUnit !== upstream_unit)
    throw new UnitChangedError(feed_id, statedUnit, upstream_unit)
}
