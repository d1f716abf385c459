import { readablePeriod } from '@wattfeed/eia'
import type { NewAttestation } from 'wattfeed/internal'
import { type ChainValue, isSameValue, type SourcedAttestation } from '../plan/decide.ts'
import type { FeedPlan } from '../plan/plan.ts'
import { differentValue } from './checkValues.ts'
import { type Refusal, refuse } from './refusal.ts'

/** Past values of a feed, as this member sees them. By period. */
export interface PastValues {
  /** The values that the member's rules allow, from its own fetch from EIA. */
  readonly own: ReadonlyMap<number, SourcedAttestation>
  /** The chain's last value of each period, at the member's state root. The chain has no value of other periods. */
  readonly prints: ReadonlyMap<number, ChainValue>
}

/**
 * Whether proposed values of a feed have the form of a backfill: past periods, oldest first, and then the chain's newest
 * value again. The feed may have newer values to attest: they come after the live proposal.
 */
export function isBackfill(proposed: readonly NewAttestation[], plan: FeedPlan): boolean {
  if (plan.error !== null || plan.latest === null) return false
  return (
    proposed.length > 1 &&
    isSameValue(plan.latest, proposed.at(-1)) &&
    proposed.every(({ period }, index) => period > (proposed[index - 1]?.period ?? Number.NEGATIVE_INFINITY))
  )
}

/**
 * Compares the past values of a backfill with this member's own. Pure.
 *
 * @param past the proposed values without the newest one
 * @returns null if EIA has each of them, and the chain has none
 */
export function checkBackfill(past: readonly NewAttestation[], { own, prints }: PastValues): Refusal | null {
  for (const proposed of past) {
    const { feed_id, period } = proposed
    const value = own.get(period)
    if (value === undefined)
      return refuse(
        'not_released',
        `this member has no value of ${feed_id} for period ${readablePeriod(period)}`,
      )
    if (!isSameValue(value, proposed)) return differentValue(feed_id, proposed, value)
    const print = prints.get(period)
    if (print !== undefined && isSameValue(print, proposed))
      return refuse(
        'stale_node',
        `the chain has the value of ${feed_id} for period ${readablePeriod(period)}`,
      )
  }
  return null
}
