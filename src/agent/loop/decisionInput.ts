import type { EiaRow } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import type { Attestation } from '../../registry/attestation.ts'
import {
  type Difference,
  type FeedConfig,
  FeedNotRegisteredError,
  listDifferences,
  listRecipeDifferences,
  type RecipeDifference,
} from '../feeds/feedConfig.ts'
import { FeedPendingError } from '../outbox/feedLocks.ts'
import type { FeedReader, FeedState } from './feedReader.ts'
import { type NewestRow, type NewestRowOptions, readNewestRow } from './newestRow.ts'
import type { Prepared } from './sender.ts'

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
      `${feedId} is claimed by ${claimant}, and the key is that of ${accountHash}: use the claimant's key, or register a feed with another id`,
    )
  }
}

/** The feed on chain has another meaning, or is of another series, than the configured one. */
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
 * Asserts that the feed on chain is the configured one, also its recipe if it has one, and that the account may attest it.
 *
 * @param accountHash null skips the check of the account
 *
 * @throws {FeedNotRegisteredError | FeedClaimedError | FeedMismatchError}
 */
export function assertAttestable(config: FeedConfig, state: FeedState, accountHash: string | null): void {
  const { feedId, feed, claimant } = state
  if (feed === null || claimant === null) throw new FeedNotRegisteredError(feedId)
  if (accountHash !== null && claimant !== accountHash)
    throw new FeedClaimedError(feedId, claimant, accountHash)
  const differences = [
    ...listDifferences(config, feed).filter(({ field }) => binding.has(field)),
    ...(listRecipeDifferences(config, feed) ?? []),
  ]
  if (differences.length > 0) throw new FeedMismatchError(feedId, differences)
}

const publicNetworks: ReadonlySet<string> = new Set(['casper', 'casper-test'])

/** Whether this is Casper's main network or its test network. */
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
      `${feedId} is not attested to ${chainName}, because its series is not verified (${reason}): see what "feeds check ${feedId}" says, then remove "unverified" from the feeds file`,
    )
  }
}

/** EIA states another unit than the configured one: the same digits would mean another value. */
export class UnitChangedError extends WattfeedError {
  static override readonly name = 'UnitChangedError'
  readonly code = 'unit_changed'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** What EIA states; null if it states none. */
    readonly stated: string | null,
    /** The configured `upstream_unit`. */
    readonly expected: string,
  ) {
    const states = stated === null ? 'no unit' : `the unit ${JSON.stringify(stated)}`
    super(
      `EIA states ${states} for ${feedId}, not ${JSON.stringify(expected)}: nothing is attested until the feed is changed; find out what the values mean now; if only the words changed, move the old ones to earlier_upstream_units, set upstream_unit and run "feeds register", else register a feed with another id`,
    )
  }
}

export interface DecisionInputOptions extends NewestRowOptions {
  reader: FeedReader
  chainName: string
  /** Of the key that signs; null if there is none. */
  accountHash: string | null
  /** Transactions already in flight, by feed id. */
  underWay: Prepared['underWay']
  /** Asserts that no other process attests to a feed. */
  assertFree: Prepared['assertFree']
  /** Called where EIA states the configured unit. @default nothing */
  onUnit?: (feedId: string, unit: string) => void
}

/**
 * Reads a feed's newest value on chain, and its newest row at EIA.
 *
 * @throws {UnverifiedFeedError | FeedPendingError | FeedBackfillingError | UnitChangedError} what
 * {@link assertAttestable}, the client and {@link readNewestRow} throw, or the reason of the stop.
 */
export async function readDecisionInput(
  feed: FeedConfig,
  options: DecisionInputOptions,
): Promise<NewestRow & { latest: Attestation | null }> {
  const { reader, chainName, accountHash, underWay, assertFree, warnOnce, onUnit, now, stop } = options
  const { feed_id } = feed
  stop.throwIfAborted()
  assertVerified(feed, chainName)
  assertFree(feed_id)
  assertSettled(feed_id, underWay, now())
  const state = await reader.read(feed_id)
  assertAttestable(feed, state, accountHash)
  warnOfMissingRecipe(feed, state, warnOnce)
  const { row, series } = await readNewestRow(feed, options)
  assertUnit(row, feed)
  if (feed.upstream_unit !== undefined) onUnit?.(feed_id, feed.upstream_unit)
  if (feed.upstream_unit === undefined && row.statedUnit !== null)
    warnOnce(
      feed_id,
      `the feed has no upstream_unit, so a change of EIA's unit would go unnoticed: "feeds check ${feed_id}" tells the unit to set`,
    )
  return { row, series, latest: state.latest }
}

/** Without a recipe on chain, nothing shows that column or facets of the feeds file were changed. */
function warnOfMissingRecipe(
  config: FeedConfig,
  { feed }: FeedState,
  warnOnce: DecisionInputOptions['warnOnce'],
): void {
  if (feed === null || listRecipeDifferences(config, feed) !== null) return
  const { feed_id } = config
  warnOnce(
    feed_id,
    `the feed has no recipe on chain, so an edited column or facet would go unnoticed: set upstream_unit if it is missing ("feeds check ${feed_id} --write"), then run "feeds register ${feed_id}"`,
  )
}

/** Asserts that the feed may be attested to this network. @throws {UnverifiedFeedError} */
export function assertVerified({ feed_id, unverified }: FeedConfig, chainName: string): void {
  if (unverified !== undefined && isPublicNetwork(chainName))
    throw new UnverifiedFeedError(feed_id, unverified, chainName)
}

/** Another transaction could attest the same twice. */
function assertSettled(feedId: string, underWay: DecisionInputOptions['underWay'], now: number): void {
  const found = underWay.get(feedId)
  if (found !== undefined)
    throw new FeedPendingError(
      feedId,
      { transactionHash: found.transactionHash, waitsUntil: found.expiresAt },
      now,
    )
}

/** Asserts that a row is in the feed's unit, if it names one. @throws {UnitChangedError} */
export function assertUnit({ statedUnit }: EiaRow, { feed_id, upstream_unit }: FeedConfig): void {
  if (upstream_unit !== undefined && statedUnit !== upstream_unit)
    throw new UnitChangedError(feed_id, statedUnit, upstream_unit)
}
