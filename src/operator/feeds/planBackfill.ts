import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { type BatchOptions, estimateCharge, paymentOf } from '../../agent/plan/attestCall.ts'
import { batchAttestations } from '../../agent/plan/batchAttestations.ts'
import type { DecisionInput, SourcedAttestation } from '../../agent/plan/decide.ts'
import { attestRows, groupPast, type RowAttestation, type RowAttestations } from '../../agent/plan/plan.ts'
import { encodePeriod, formatPeriod } from '../../eia/period.ts'
import type { EiaRow } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import type { Attestation } from '../../registry/attestation.ts'

/** Why a backfill is refused. */
export type BackfillReason = 'range' | 'too_many_rows' | 'has_values' | 'no_room' | 'balance'

/** A feed cannot be backfilled as requested. Nothing was sent. */
export class BackfillError extends WattfeedError {
  static override readonly name = 'BackfillError'
  readonly code = 'backfill'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    readonly reason: BackfillReason,
    message: string,
  ) {
    super(`${feedId}: ${message}`)
  }
}

/** Periods as integers, both included; `to` is null for the newest. */
export interface PeriodRange {
  readonly from: number
  readonly to: number | null
}

/**
 * Reads a range of periods as EIA writes them.
 *
 * @throws {PeriodError} if one is not of the feed's frequency.
 * @throws {BackfillError} if the range is empty.
 *
 * @example
 * ```ts
 * readRange({ feed_id: 'EIA.X', frequency: 'monthly' }, { from: '2020-01' }) // { from: 202001, to: null }
 * ```
 */
export function readRange(
  { feed_id, frequency }: Pick<FeedConfig, 'feed_id' | 'frequency'>,
  { from, to }: { from: string; to?: string | undefined },
): PeriodRange {
  const range = {
    from: encodePeriod(frequency, from),
    to: to === undefined ? null : encodePeriod(frequency, to),
  }
  if (range.to !== null && range.to < range.from)
    throw new BackfillError(feed_id, 'range', `--to ${to} is earlier than --from ${from}`)
  return range
}

export interface BackfillInput extends Pick<DecisionInput, 'feed' | 'now'> {
  /** EIA's rows of the range, in any order. */
  rows: readonly EiaRow[]
  /** The newest value on chain; null if there is none. */
  latest: Attestation | null
  /** The periods of which the chain holds a value. */
  held: ReadonlySet<number>
  /** Whether periods before the newest value may be attested, each transaction ending with that value again. */
  restates: boolean
  batch: BatchOptions
  /** `GAS_PRICE_TOLERANCE` */
  gasPriceTolerance: number
}

/** What a backfill sends. */
export interface BackfillPlan extends Pick<RowAttestations, 'leftOut'> {
  /** One transaction each, to be sent one after the other. */
  readonly groups: readonly (readonly SourcedAttestation[])[]
  /** The periods that they attest, oldest first, without those that they restate. */
  readonly periods: readonly number[]
  /** How many periods of the range the chain holds already. */
  readonly heldPeriods: number
  /** The newest value on chain, which the first group is based on. */
  readonly latest: Attestation | null
  /** Whether transactions end with that value again. */
  readonly isRestating: boolean
  /** The most that all of them are charged at a gas price of 1, in motes. */
  readonly estimatedMotes: bigint
  /** The balance that this takes, in motes: the last one reserves more than it is charged. */
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
  const { feed, rows, latest, held, restates, batch, gasPriceTolerance } = input
  const { attestations, leftOut } = attestRows(rows, input)
  const missing = attestations.filter(({ period }) => !held.has(period)).map(withoutRow)
  const past = missing.filter(({ period }) => latest !== null && period < latest.period)
  if (latest !== null && past.length > 0 && !restates) throw hasValues(feed, latest)
  const before = latest === null ? [] : groupPast(past, restatementOf(feed, latest), batch)
  if (before === null) throw noRoom(feed, batch)
  const groups = [...before, ...batchAttestations(missing.slice(past.length), batch)]
  const estimatedMotes = sum(groups.map((group) => estimateCharge(group, batch)))
  const last = groups.at(-1)
  return {
    groups,
    periods: missing.map(({ period }) => period),
    heldPeriods: attestations.length - missing.length,
    leftOut,
    latest,
    isRestating: past.length > 0,
    estimatedMotes,
    neededMotes:
      last === undefined
        ? 0n
        : estimatedMotes -
          estimateCharge(last, batch) +
          paymentOf(last.length, batch.paymentMotes) * BigInt(gasPriceTolerance),
  }
}

const withoutRow = ({ row, result, ...attestation }: RowAttestation): SourcedAttestation => attestation

const restatementOf = (
  { feed_id }: FeedConfig,
  { period, amount, source_hash }: Attestation,
): SourcedAttestation => ({ feed_id, period, amount, source_hash })

const sum = (all: readonly bigint[]): bigint => all.reduce((total, each) => total + each, 0n)

/**
 * Asserts that a history of so many values is long enough to hold all that is earlier than the newest of them.
 *
 * @throws {BackfillError} otherwise, as {@link planBackfill} does once it is read.
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

const hasValues = (feed: FeedConfig, { period }: Attestation): BackfillError =>
  new BackfillError(
    feed.feed_id,
    'has_values',
    `the feed has values, the newest of ${periodText(feed, period)}, and the chain lacks earlier periods of the range. Readers take what is attested last for the newest value: choose a later --from, or pass --and-restate, with which each transaction ends with the newest value again`,
  )

function noRoom({ feed_id }: FeedConfig, { offersMany }: BatchOptions): BackfillError {
  const why = offersMany
    ? 'its id is too long for a second value in a transaction, or PAYMENT_MOTES too low'
    : 'the AttestationRegistry has no attest_many: upgrade it with "contracts upgrade"'
  return new BackfillError(feed_id, 'no_room', `the newest value cannot be attested again with each: ${why}`)
}

/** Formats a period as EIA writes it, or as the integer on chain. */
export const periodText = ({ frequency }: Pick<FeedConfig, 'frequency'>, period: number): string =>
  formatPeriod(frequency, period) ?? String(period)
