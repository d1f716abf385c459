import { defineError } from '../../defineError.ts'
import { encodePeriod, isForecast } from '../../eia/period.ts'
import { readValue, ScaleError, scaleDecimal } from '../../eia/scaleDecimal.ts'
import type { EiaRow } from '../../eia/series.ts'
import { hashSource, type Source } from '../../eia/sourceHash.ts'
import type { Attestation } from '../../registry/attestation.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import type { Feed } from '../../registry/feed.ts'
import {
  type Difference,
  type FeedConfig,
  FeedNotRegisteredError,
  listDifferences,
  listRecipeDifferences,
  type RecipeDifference,
} from '../feeds/feedConfig.ts'

/** The decision about a feed's newest row. Only the last two write. */
export type Decision =
  /** EIA publishes no number: null, `"w"`, `"NA"`, `"--"` or other text. */
  | 'withheld'
  /** The month, quarter or year has not ended; the day, week or hour has not started. */
  | 'future-period'
  /** The value is negative, which the chain cannot store. */
  | 'negative'
  /** The chain has a later period. */
  | 'older-than-chain'
  /** The chain has this value from this source. */
  | 'unchanged'
  /** The chain has another value, or one from another source, for the same period. */
  | 'revision'
  /** The chain has an earlier period, or none. */
  | 'new-period'

export type DecisionResult = WithheldResult | ValueResult

interface WithheldResult {
  decision: 'withheld' | 'future-period' | 'negative'
  /** The period as an integer. */
  period: number
  amount: null
  /** The unit in the hashed source. */
  unit: string
  source_hash: null
}

export interface ValueResult {
  decision: 'older-than-chain' | 'unchanged' | 'revision' | 'new-period'
  period: number
  /** The value times 10^decimals. */
  amount: bigint
  unit: string
  /** 32 hex digits. */
  source_hash: string
  /** The source that was hashed. */
  source: Source
}

export type WrittenResult = ValueResult & { decision: 'revision' | 'new-period' }

/** A value to attest, with its hashed source; a value that is already on chain has no source. */
export interface SourcedAttestation extends NewAttestation {
  readonly source?: Source
}

/** The value of a period on chain. */
export type ChainValue = Pick<Attestation, 'period' | 'amount' | 'source_hash'>

/** Whether two values have the same period, amount and source. */
export const isSameValue = (one: ChainValue, other: ChainValue | null | undefined): boolean =>
  one.period === other?.period && one.amount === other.amount && one.source_hash === other.source_hash

export interface DecisionInput {
  /** Newest row of the feed's series. */
  row: EiaRow
  feed: FeedConfig
  /** Newest attestation on chain; null if there is none. */
  latest: ChainValue | null
  /** Epoch milliseconds. */
  now: number
}

/**
 * Decides whether to attest a row. Pure.
 *
 * @throws {PeriodError} if the period does not exist.
 * @throws {NotANumberError} for `NaN`, infinities, and digits with blanks or commas, none of which means "withheld".
 * @throws {ScaleError} if the amount has more than 512 bits.
 */
export function decide({ row, feed, latest, now }: DecisionInput): DecisionResult {
  const { route, frequency, facets, decimals, allow_future = false } = feed
  const period = encodePeriod(frequency, row.period)
  const unit = row.unit ?? feed.unit
  const without = (decision: WithheldResult['decision']): WithheldResult => ({
    decision,
    period,
    amount: null,
    unit,
    source_hash: null,
  })
  const value = readValue(row.value)
  if (value === null) return without('withheld')
  if (!allow_future && isForecast(frequency, row.period, now)) return without('future-period')
  const amount = scaleUnsigned(value, decimals)
  if (amount === null) return without('negative')
  const source = { route, frequency, facets, period: row.period, value, unit }
  const source_hash = hashSource(source)
  const decision = compare(latest, { period, amount, source_hash })
  return { decision, period, amount, unit, source_hash, source }
}

export const isWritten = (result: DecisionResult): result is WrittenResult =>
  result.decision === 'revision' || result.decision === 'new-period'

/** Scales a value; null if it is negative. */
function scaleUnsigned(value: string, decimals: number): bigint | null {
  try {
    return scaleDecimal(value, decimals)
  } catch (error) {
    if (error instanceof ScaleError && error.reason === 'negative') return null
    throw error
  }
}

function compare(latest: ChainValue | null, value: ChainValue): ValueResult['decision'] {
  if (latest === null || latest.period < value.period) return 'new-period'
  if (latest.period > value.period) return 'older-than-chain'
  return isSameValue(latest, value) ? 'unchanged' : 'revision'
}

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
export function assertAttestable(config: FeedConfig, state: FeedState, accountHash: string | null): void {
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

const publicNetworks: ReadonlySet<string> = new Set(['casper', 'casper-test'])

/** Whether this is one of Casper's public networks: main or test. */
export const isPublicNetwork = (chainName: string): boolean => publicNetworks.has(chainName)

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

/** Asserts that the feed may be attested to this network. @throws {UnverifiedFeedError} */
export function assertVerified({ feed_id, unverified }: FeedConfig, chainName: string): void {
  if (unverified !== undefined && isPublicNetwork(chainName))
    throw new UnverifiedFeedError({ feedId: feed_id, reason: unverified, chainName })
}

/** Asserts that a row is in the feed's unit, if it names one. @throws {UnitChangedError} */
export function assertUnit({ statedUnit }: EiaRow, { feed_id, upstream_unit }: FeedConfig): void {
  if (upstream_unit !== undefined && statedUnit !== upstream_unit)
    throw new UnitChangedError({ feedId: feed_id, stated: statedUnit, expected: upstream_unit })
}
