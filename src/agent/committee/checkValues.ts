import { WattfeedError } from '@wattfeed/base'
import { readablePeriod } from '@wattfeed/eia'
import type { NewAttestation } from 'wattfeed/internal'
import { FeedNotRegisteredError } from '../../feeds/file/feedConfig.ts'
import { FeedClaimedError, FeedMismatchError, UnverifiedFeedError } from '../plan/assertAttestable.ts'
import { type ChainValue, isSameValue } from '../plan/decide.ts'
import type { FeedPlan, PlannedFeed } from '../plan/plan.ts'
import { LaggingValueError } from '../state/settledBlocks.ts'
import { type Refusal, type RefusedValue, refuse } from './refusal.ts'

/**
 * Compares the proposed values of one feed with what this member's own rules attest next for it. Pure.
 *
 * @param proposed the feed's values in the order of the proposal
 * @param plan the member's own plan of the feed, from its own fetch and its own state root
 * @returns null if they are equal
 */
export function checkValues(proposed: readonly NewAttestation[], plan: FeedPlan): Refusal | null {
  if (plan.error !== null) return refusePlan(plan.feedId, plan.error)
  const next = plan.steps[0] ?? []
  if (next.length === proposed.length && next.every((each, index) => isSameValue(each, proposed[index])))
    return null
  const own = listOwn(plan)
  const different = proposed.find((each) => isOther(each, own.get(each.period)))
  if (different !== undefined) return differentValue(plan.feedId, different, own.get(different.period))
  const later = proposed.find(({ period }) => period > Math.max(...own.keys()))
  if (later !== undefined)
    return refuse(
      'not_released',
      `this member has no value of ${plan.feedId} for period ${readablePeriod(later.period)}`,
    )
  if (proposed.every(({ period }) => plan.latest !== null && period <= plan.latest.period))
    return refuse('stale_node', `the chain has these values of ${plan.feedId}, or needs others first`)
  return refuse(
    'invalid_terms',
    `proposed are ${listValues(proposed)} of ${plan.feedId}, but here ${listValues(next)} are next: compare LOOK_BACK, CATCH_UP and the feeds files`,
  )
}

/** The most values of a list in a refusal: a lifetime's log must stay readable. */
const MAX_LISTED = 10

/** Lists values by period: `20261120 = 5991`. */
function listValues(values: readonly ChainValue[]): string {
  const listed = values
    .slice(0, MAX_LISTED)
    .map(({ period, amount }) => `${readablePeriod(period)} = ${amount}`)
  const more = values.length - listed.length
  return values.length === 0 ? 'no values' : `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The errors of a feed that this member does not attest to at all. */
const feedErrors = [FeedNotRegisteredError, FeedClaimedError, FeedMismatchError, UnverifiedFeedError]

/** Refuses a feed that has no plan. The texts of errors stay here, because they may contain addresses. */
export function refusePlan(feedId: string, error: Error): Refusal {
  const code = error instanceof WattfeedError ? error.code : 'failed'
  if (error instanceof LaggingValueError) return refuse('stale_node', `this member's node lags (${code})`)
  if (feedErrors.some((kind) => error instanceof kind))
    return refuse('unknown_feed', `this member does not attest to ${feedId} (${code})`)
  return refuse('not_released', `this member has no values of ${feedId} (${code})`)
}

const isOther = (proposed: ChainValue, own: ChainValue | undefined): boolean =>
  own !== undefined && !isSameValue(proposed, own)

/** Returns the values that this member knows, by period: the chain's newest, and those of its own fetch. */
function listOwn({ latest, about: { result }, steps }: PlannedFeed): ReadonlyMap<number, ChainValue> {
  const fetched = result.amount === null ? [] : [result]
  const all = [...(latest === null ? [] : [latest]), ...fetched, ...steps.flat()]
  return new Map(all.map((each) => [each.period, each]))
}

/** Refuses a value of which this member knows another one. */
export const differentValue = (
  feed_id: string,
  proposed: ChainValue,
  own: ChainValue = proposed,
): Refusal => ({
  code: 'different_value',
  feed_id,
  proposed: formatValue(proposed),
  own: formatValue(own),
})

/** Returns a value as refusals and errors state it. */
export const formatValue = ({ period, amount, source_hash }: ChainValue): RefusedValue => ({
  period,
  amount: amount.toString(),
  source_hash,
})
