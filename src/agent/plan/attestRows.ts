import { WattfeedError } from '@wattfeed/base'
import { type EiaRow, encodePeriod } from '@wattfeed/eia'
import { assertUnit } from './assertAttestable.ts'
import { type DecisionInput, decide, isWritten, type SourcedAttestation, type ValueResult } from './decide.ts'

/** The attestation of a row, and the decision that it is based on. */
export interface RowAttestation extends SourcedAttestation {
  readonly row: EiaRow
  readonly result: ValueResult
}

/** Rows as attestations, oldest first, and those that cannot be attested. */
export interface RowAttestations {
  readonly attestations: readonly RowAttestation[]
  readonly leftOut: readonly LeftOut[]
}

/**
 * Converts rows of a feed to attestations, oldest first. It skips rows that cannot be attested: withheld, negative, in the
 * future, not a number, too large, or in another unit.
 *
 * @param rows in any order
 * @param options.now epoch milliseconds
 * @throws {PeriodError} if a period is not of the feed's frequency.
 */
export function attestRows(
  rows: readonly EiaRow[],
  options: Omit<DecisionInput, 'row' | 'latest'>,
): RowAttestations {
  const { feed } = options
  const attestations: RowAttestation[] = []
  const leftOut: LeftOut[] = []
  const dated = rows.map((row) => ({ row, period: encodePeriod(feed.frequency, row.period) }))
  for (const { row, period } of dated.toSorted((a, b) => a.period - b.period)) {
    const result = decideAlone(row, options)
    if (typeof result === 'string') leftOut.push({ period, reason: result })
    else attestations.push({ ...attestationOf(feed.feed_id, result), row, result })
  }
  return { attestations, leftOut }
}

/** Returns a row's value, or the reason why it has none. */
function decideAlone(row: EiaRow, options: Omit<DecisionInput, 'row' | 'latest'>): ValueResult | string {
  try {
    assertUnit(row, options.feed)
    const result = decide({ ...options, row, latest: null })
    return isWritten(result) ? result : result.decision
  } catch (error) {
    if (error instanceof WattfeedError) return error.code
    throw error
  }
}

/** Returns a decided value as an attestation. */
export const attestationOf = (
  feed_id: string,
  { period, amount, source_hash, source }: ValueResult,
): SourcedAttestation => ({ feed_id, period, amount, source_hash, source })

/** A row without an attestable value, before a period that is attested. A value that EIA adds later is attested as a late one. */
export interface LeftOut {
  readonly period: number
  /** A decision, such as `withheld`, or the code of an error, such as `not_a_number`. */
  readonly reason: string
}
