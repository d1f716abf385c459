import { defineError } from '@wattfeed/base'
import type { EiaRow } from '@wattfeed/eia'
import type { Attestation, Feed } from 'wattfeed'
import {
  type Difference,
  type FeedConfig,
  FeedNotRegisteredError,
  listDifferences,
  listRecipeDifferences,
  type RecipeDifference,
  type SeriesConfig,
} from '../../feeds/file/feedConfig.ts'

/** A feed on chain, at one state root. */
export interface ChainFeed {
  /** Null if it is not registered. */
  readonly feed: Feed | null
  /** Null if it has no value yet. */
  readonly latest: Attestation | null
  /** The account or contract that may attest to it, as `account-hash-…` or `hash-…`; null if it is not registered. */
  readonly claimant: string | null
}

/** A feed that belongs to another account than the key's. */
export const FeedClaimedError = defineError(
  'FeedClaimedError',
  'feed_claimed',
  (facts: {
    feedId: string
    /** `account-hash-…` or `hash-…` */
    claimant: string
    /** `account-hash-…` of the key. */
    accountHash: string
  }) =>
    `${facts.feedId} is claimed by ${facts.claimant}, but the key belongs to ${facts.accountHash}: use the claimant's key, or register a feed with another id`,
)

/** The feed on chain has another meaning or another series than the configured one. */
export const FeedMismatchError = defineError(
  'FeedMismatchError',
  'feed_mismatch',
  (facts: { feedId: string; differences: readonly (Difference | RecipeDifference)[] }) => {
    const listed = facts.differences.map(
      ({ field, configured, on_chain }) =>
        `${field} is ${wordsOf(configured)} in the feeds file and ${wordsOf(on_chain)} on chain`,
    )
    return `${facts.feedId} differs: ${listed.join(', ')}; correct the feeds file. To change the feed on purpose, give it another id, or run "feeds register ${facts.feedId}" if its history may continue with the changed feed`
  },
)

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
export function assertAttestable(config: FeedConfig, state: ChainFeed, accountHash: string | null): void {
  const { feed, claimant } = state
  if (feed === null || claimant === null) throw new FeedNotRegisteredError({ feedId: config.feed_id })
  if (accountHash !== null && claimant !== accountHash)
    throw new FeedClaimedError({ feedId: config.feed_id, claimant, accountHash })
  const differences = [
    ...listDifferences(config, feed).filter(({ field }) => binding.has(field)),
    ...(listRecipeDifferences(config, feed) ?? []),
  ]
  if (differences.length > 0) throw new FeedMismatchError({ feedId: config.feed_id, differences })
}

/** A feed that is not verified to have a series at EIA. */
export const UnverifiedFeedError = defineError(
  'UnverifiedFeedError',
  'feed_unverified',
  (facts: {
    feedId: string
    /** Why it is not verified. */
    reason: string
    chainName: string
  }) =>
    `${facts.feedId} is not attested to ${facts.chainName}, because its series is not verified (${facts.reason}): run "feeds check ${facts.feedId}", then remove "unverified" from the feeds file`,
)

/** Asserts that the feed may be attested to this network. @throws {UnverifiedFeedError} */
export function assertVerified({ feed_id, unverified }: FeedConfig, chainName: string): void {
  if (unverified !== undefined && isPublicNetwork(chainName))
    throw new UnverifiedFeedError({ feedId: feed_id, reason: unverified, chainName })
}

const publicNetworks: ReadonlySet<string> = new Set(['casper', 'casper-test'])

/** Returns whether this is one of Casper's public networks: main or test. */
export const isPublicNetwork = (chainName: string): boolean => publicNetworks.has(chainName)

/** EIA states another unit than the configured one, so the same digits mean another value. */
const UnitChangedError = defineError(
  'UnitChangedError',
  'unit_changed',
  (facts: {
    feedId: string
    /** EIA's unit; null if the row has none. */
    stated: string | null
    /** The configured `upstream_unit`. */
    expected: string
  }) => {
    const states = facts.stated === null ? 'no unit' : `the unit ${JSON.stringify(facts.stated)}`
    return `EIA states ${states} for ${facts.feedId}, not ${JSON.stringify(facts.expected)}: nothing is attested until the feed is changed. If only the words changed, move the old ones to earlier_upstream_units, set upstream_unit and run "feeds register". If the meaning changed, register a feed with another id`
  },
)

/** Asserts that a row is in the feed's unit, if it names one. @throws {UnitChangedError} */
export function assertUnit({ statedUnit }: EiaRow, { feed_id, upstream_unit }: SeriesConfig): void {
  if (upstream_unit !== undefined && statedUnit !== upstream_unit)
    throw new UnitChangedError({ feedId: feed_id, stated: statedUnit, expected: upstream_unit })
}
