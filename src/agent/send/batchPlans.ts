import { type BatchOptions, batchAttestations, MAX_BATCH } from '../plan/attestCall.ts'
import type { PlannedAttestation } from '../plan/groupSteps.ts'
import type { PlannedFeed } from '../plan/plan.ts'

/** Plans that are sent together, or the one plan of a feed. */
export type Batch =
  /** Values of several feeds in one transaction. `isOpen` if another value may still fit. */
  | {
      readonly isShared: true
      readonly isOpen: boolean
      readonly plans: readonly PlannedFeed[]
      readonly step: readonly PlannedAttestation[]
    }
  /** The transactions of one feed, in order. */
  | { readonly isShared: false; readonly isOpen: false; readonly plans: readonly [PlannedFeed] }

/**
 * Groups plans into transactions, in order. Pure. Plans of a single value share transactions, as many as fit in one; a
 * plan with more has its own.
 */
export function batchPlans(plans: readonly PlannedFeed[], options: BatchOptions): Batch[] {
  const single = plans.flatMap((plan) => {
    const value = onlyValueOf(plan)
    return value === null ? [] : [{ ...value, plan }]
  })
  const own = plans.filter((plan) => onlyValueOf(plan) === null)
  const groups = batchAttestations(single, options)
  const most = options.offersMany ? MAX_BATCH : 1
  return [
    ...own.map((plan) => ({ isShared: false, isOpen: false, plans: [plan] }) as const),
    ...groups.map((group, index) => ({
      isShared: true as const,
      isOpen: index === groups.length - 1 && group.length < most,
      plans: group.map(({ plan }) => plan),
      step: group.map(({ plan, ...value }) => value),
    })),
  ]
}

/** Returns the value of a plan that has only one; null for any other plan. */
function onlyValueOf({ latest, steps: [first = [], second] }: PlannedFeed): PlannedAttestation | null {
  const [only, other] = first
  if (only === undefined || other !== undefined || second !== undefined) return null
  // A shared transaction drops it as older than the chain. An accepted root of an earlier period is sent on its basis.
  return latest !== null && only.period < latest.period ? null : only
}

/**
 * Returns the next transaction of each plan, with single values of several feeds in one transaction. Pure.
 *
 * @param alone the feeds that do not share a transaction
 */
export function groupPlans(
  plans: readonly PlannedFeed[],
  alone: ReadonlySet<string>,
  options: BatchOptions,
): readonly (readonly PlannedAttestation[])[] {
  const isAlone = ({ feedId }: PlannedFeed) => alone.has(feedId)
  const together = plans.filter((plan) => !isAlone(plan))
  const groups = [together, ...plans.filter(isAlone).map((plan) => [plan])]
  return groups
    .flatMap((group) => batchPlans(group, options))
    .map((batch) => (batch.isShared ? batch.step : (batch.plans[0].steps[0] ?? [])))
}
