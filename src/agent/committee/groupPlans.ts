import type { BatchOptions } from '../plan/attestCall.ts'
import { batchPlans } from '../plan/batchPlans.ts'
import type { PlannedAttestation, PlannedFeed } from '../plan/plan.ts'

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
