import { defineError } from '@wattfeed/base'
import { type EiaRow, encodePeriod, formatPeriod, readablePeriod } from '@wattfeed/eia'
import type { Attestation } from 'wattfeed'
import {
  type BatchOptions,
  batchAttestations,
  estimateCharge,
  paymentOf,
} from '../../../agent/plan/attestCall.ts'
import { attestRows, type RowAttestation, type RowAttestations } from '../../../agent/plan/attestRows.ts'
import type { DecisionInput, SourcedAttestation } from '../../../agent/plan/decide.ts'
import { groupPast } from '../../../agent/plan/groupSteps.ts'
import type { SeriesConfig } from '../../../feeds/file/feedConfig.ts'

export type BackfillReason =
  | 'range'
  | 'too_many_rows'
  | 'has_values'
  | 'no_room'
  | 'balance'
  | 'committee'
  | 'dataset'

/** A feed cannot be backfilled as requested. Nothing was sent. */
export const BackfillError = defineError(
  'BackfillError',
  'backfill',
  (facts: { feedId: string; reason: BackfillReason; message: string }) => `${facts.feedId}: ${facts.message}`,
)
export type BackfillError = InstanceType<typeof BackfillError>

/** An inclusive range of periods, as integers; `to` is null for the newest. */
export interface PeriodRange {
  readonly from: number
  readonly to: number | null
}

/**
 * Reads a range of periods as EIA writes them.
 *
 * @throws {PeriodError} if one is not of the feed's frequency.
 * @throws {BackfillError} if the range is empty.
 */
export function readRange(
  { feed_id, frequency }: Pick<SeriesConfig, 'feed_id' | 'frequency'>,
  { from, to }: { from: string; to?: string | undefined },
): PeriodRange {
  const range = {
    from: encodePeriod(frequency, from),
    to: to === undefined ? null : encodePeriod(frequency, to),
  }
  if (range.to !== null && range.to < range.from)
    throw new BackfillError({
      feedId: feed_id,
      reason: 'range',
      message: `--to ${to} is earlier than --from ${from}`,
    })
  return range
}

export interface BackfillInput extends Pick<DecisionInput, 'feed' | 'now'> {
  /** EIA's rows of the range, in any order. */
  rows: readonly EiaRow[]
  /** The newest value on chain; null if there is none. */
  latest: Attestation | null
  /** The periods that have a value on chain. */
  held: ReadonlySet<number>
  /** Whether periods before the newest value may be attested, each transaction ending with that value again. */
  restates: boolean
  /** The most periods of EIA from the first to the last past value of a transaction. */
  span: number
  batch: BatchOptions
  /** `GAS_PRICE_TOLERANCE` */
  gasPriceTolerance: number
}

export interface BackfillPlan extends Pick<RowAttestations, 'leftOut'> {
  /** One transaction each, to be sent one after the other. */
  readonly groups: readonly (readonly SourcedAttestation[])[]
  /** The periods that they attest, oldest first, without those that they restate. */
  readonly periods: readonly number[]
  /** Number of periods in the range that are already on chain. */
  readonly heldPeriods: number
  /** The newest value on chain, which the first group is based on. */
  readonly latest: Attestation | null
  /** Whether transactions end with that value again. */
  readonly isRestating: boolean
  /** Upper bound of the charges for all of them, in motes, at a gas price of 1. */
  readonly estimatedMotes: bigint
  /** The required balance, in motes: the last transaction reserves more than its charge. */
  readonly neededMotes: bigint
}

/**
 * Plans a backfill. Pure. The missing periods of the range come oldest first, so the same command resumes after an
 * interruption.
 *
 * @throws {BackfillError} if the chain lacks periods earlier than its newest value, unless `restates`; or if a transaction
 * has no room for two values.
 */
export function planBackfill(input: BackfillInput): BackfillPlan {
  const { feed, rows, latest, held, restates, span, batch, gasPriceTolerance } = input
  const { attestations, leftOut } = attestRows(rows, input)
  const missing = attestations.filter(({ period }) => !held.has(period)).map(withoutRow)
  const past = missing.filter(({ period }) => latest !== null && period < latest.period)
  if (latest !== null && past.length > 0 && !restates) throw hasValues(feed, latest)
  const before = splitPast(past, [...attestations, ...leftOut], span).map((part) => {
    const grouped = latest === null ? [] : groupPast(part, restatementOf(feed, latest), batch)
    if (grouped === null) throw noRoom(feed, batch)
    return grouped
  })
  const groups = [...before.flat(), ...batchAttestations(missing.slice(past.length), batch)]
  const estimatedMotes = sum(groups.map((group) => estimateCharge(group, batch)))
  return {
    groups,
    periods: missing.map(({ period }) => period),
    heldPeriods: attestations.length - missing.length,
    leftOut,
    latest,
    isRestating: past.length > 0,
    estimatedMotes,
    neededMotes: estimatedMotes + reservedAbove(groups.at(-1), batch, gasPriceTolerance),
  }
}

/** Returns what the last transaction reserves above its charge, in motes: its whole payment, at the highest gas price. */
function reservedAbove(
  last: readonly SourcedAttestation[] | undefined,
  batch: BatchOptions,
  gasPriceTolerance: number,
): bigint {
  if (last === undefined) return 0n
  return paymentOf(last.length, batch.paymentMotes) * BigInt(gasPriceTolerance) - estimateCharge(last, batch)
}

/** Splits past values into parts, each with values of at most so many periods of EIA. */
function splitPast(
  past: readonly SourcedAttestation[],
  all: readonly { period: number }[],
  span: number,
): (readonly SourcedAttestation[])[] {
  const periods = all.map(({ period }) => period).toSorted((a, b) => a - b)
  const places = new Map(periods.map((period, index) => [period, index]))
  return [...Map.groupBy(past, ({ period }) => Math.floor((places.get(period) ?? 0) / span)).values()]
}

const withoutRow = ({ row, result, ...attestation }: RowAttestation): SourcedAttestation => attestation

const restatementOf = (
  { feed_id }: SeriesConfig,
  { period, amount, source_hash }: Attestation,
): SourcedAttestation => ({ feed_id, period, amount, source_hash })

const sum = (all: readonly bigint[]): bigint => all.reduce((total, each) => total + each, 0n)

/**
 * Asserts that a history of this length can contain all earlier periods of the range.
 *
 * @throws {BackfillError} if it is too short; {@link planBackfill} throws the same once the history is read.
 */
export function assertRoom(
  { feed, rows, latest, now }: Pick<BackfillInput, 'feed' | 'rows' | 'latest' | 'now'>,
  valueCount: number,
): void {
  if (latest === null) return
  const { attestations } = attestRows(rows, { feed, now })
  const past = attestations.filter(({ period }) => period < latest.period)
  if (past.length >= valueCount) throw hasValues(feed, latest)
}

const hasValues = (feed: SeriesConfig, { period }: Attestation): BackfillError =>
  new BackfillError({
    feedId: feed.feed_id,
    reason: 'has_values',
    message: `the feed's newest value is of ${periodText(feed, period)}, and the chain lacks earlier periods of the range. Readers take the last attested value as the newest one: choose a later --from, or pass --and-restate, so that each transaction ends with the newest value again`,
  })

function noRoom({ feed_id }: SeriesConfig, { offersMany }: BatchOptions): BackfillError {
  const why = offersMany
    ? 'its id is too long for a second value in a transaction, or PAYMENT_MOTES too low'
    : 'the AttestationRegistry has no attest_many: upgrade it with "contracts upgrade"'
  return new BackfillError({
    feedId: feed_id,
    reason: 'no_room',
    message: `the newest value cannot be attested again with each: ${why}`,
  })
}

/** Formats a period as EIA writes it, or else as its integer on chain. */
export const periodText = ({ frequency }: Pick<SeriesConfig, 'frequency'>, period: number): string =>
  formatPeriod(frequency, period) ?? readablePeriod(period)
