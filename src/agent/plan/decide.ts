import { type EiaRow, encodePeriod, isForecast, readValue, ScaleError, scaleDecimal } from '@wattfeed/eia'
import type { Attestation } from 'wattfeed'
import type { NewAttestation } from 'wattfeed/internal'
import { hashSource, type Source } from 'wattfeed/provenance'
import type { SeriesConfig } from '../../feeds/file/feedConfig.ts'

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

/** A decision without the source of a value. A root of a dataset has none. */
export type Decided = WithheldResult | Omit<ValueResult, 'source'>

/** The decision about a row with a value that the chain can store. */
export interface ValueResult {
  decision: 'older-than-chain' | 'unchanged' | 'revision' | 'new-period'
  period: number
  /** The value times 10^decimals. */
  amount: bigint
  unit: string
  /** 32 hex digits; 64 for the root of a dataset. */
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

/** Returns whether two values have the same period, amount and source. */
export const isSameValue = (one: ChainValue, other: ChainValue | null | undefined): boolean =>
  one.period === other?.period && one.amount === other.amount && one.source_hash === other.source_hash

/** What a decision depends on. */
export interface DecisionInput {
  /** Newest row of the feed's series. */
  row: EiaRow
  feed: SeriesConfig
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

/** Returns whether the decision is to attest the value. */
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
