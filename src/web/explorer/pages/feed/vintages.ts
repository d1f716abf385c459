import type { HistoryItem } from '../../data/feedHistory.ts'

/** Which attestations of a period are shown: the latest, the first, or all in order of attestation. */
export const vintageKinds = ['latest', 'first', 'all'] as const
export type Vintages = (typeof vintageKinds)[number]

/**
 * Returns the rows of a history: one row per period, ordered by period, or all rows ordered by time.
 *
 * @param items - newest first; `first` omits periods whose first attestation is not among them
 * @param chosen - the vintages, of the chain's values at the time `asOf` in epoch milliseconds; null for now
 */
export function selectRows(
  items: readonly HistoryItem[],
  { vintages, asOf }: { vintages: Vintages; asOf: number | null },
): readonly HistoryItem[] {
  const known = asOf === null ? items : items.filter(({ attested_at }) => attested_at <= asOf)
  if (vintages === 'all') return known.toReversed()
  const byPeriod = new Map<number, HistoryItem>()
  for (const item of known)
    if (vintages === 'first' || !byPeriod.has(item.period)) byPeriod.set(item.period, item)
  const rows = [...byPeriod.values()].sort((one, other) => one.period - other.period)
  return vintages === 'first' ? rows.filter(({ revision }) => revision === 0) : rows
}
