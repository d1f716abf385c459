import { defineError } from '@wattfeed/base'
import type { DatasetConfig } from '../../../feeds/file/feedConfig.ts'
import type { DatasetKeeper } from '../../datasets/datasetKeeper.ts'
import { planSnapshot } from '../../datasets/pollDataset.ts'
import type { ObserveSettings } from '../../look/observeSettings.ts'
import type { View } from '../../look/view.ts'
import { type FeedPlan, refusedFeed } from '../../plan/plan.ts'
import type { MemberRoots } from './memberRoots.ts'

/** A dataset of which this member holds no root that it may sign yet. */
export const RootNotHeldError = defineError(
  'RootNotHeldError',
  'root_not_held',
  (facts: {
    feedId: string
    /** What this member waits for: `until this member has read it`. */
    until: string
  }) => `no root of ${facts.feedId} is signed ${facts.until}`,
  { retryable: true },
)

export interface RootPlanParts {
  readonly roots: MemberRoots
  readonly keeper: Pick<DatasetKeeper, 'countsOf' | 'noteAttested'>
  readonly settings: ObserveSettings
  readonly acceptsShrunk: boolean
}

/** Plans the root of a dataset that this member has held for long enough. Asks EIA for nothing. Never throws. */
export async function planRoot(feed: DatasetConfig, view: View, parts: RootPlanParts): Promise<FeedPlan> {
  const { roots } = parts
  const { feed_id: feedId } = feed
  const held = roots.held(feed)
  try {
    if (held === null) throw new RootNotHeldError({ feedId, until: 'until this member has read it' })
    const plan = await planSnapshot(feed, held, { ...parts, view })
    if (plan.error !== null) return plan
    const holdMs = roots.holdMs(feed, held, plan.latest?.source_hash ?? null)
    if (roots.heldFor(held) < holdMs)
      throw new RootNotHeldError({ feedId, until: `until it has not changed for ${holdMs / 1_000} s` })
    return plan
  } catch (error) {
    return refusedFeed(feedId, error)
  }
}
