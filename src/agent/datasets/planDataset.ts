import { defineError } from '@wattfeed/base'
import { DATASET_UNIT, type Manifest } from '@wattfeed/dataset'
import { encodePeriod } from '@wattfeed/eia'
import type { DatasetConfig } from '../../feeds/file/feedConfig.ts'
import { asError } from '../../runtime/asError.ts'
import { type ChainValue, isSameValue, type ValueResult } from '../plan/decide.ts'
import type { FeedPlan, Known, PlannedFeed } from '../plan/plan.ts'
import { findLoss } from './findLoss.ts'
import type { PeriodCounts } from './periodCounts.ts'

/** A dataset has lost values that its newest root has. Nothing is attested until it is confirmed. */
const DatasetShrankError = defineError(
  'DatasetShrankError',
  'dataset_shrank',
  (facts: {
    feedId: string
    /** What is gone, of what: `40 of 40 values of 2026-11-24`. */
    lost: string
    /** The newest root on chain. */
    onChain: Pick<ChainValue, 'amount' | 'period'>
    /** What EIA has now. */
    found: Pick<ChainValue, 'amount' | 'period'>
  }) =>
    `EIA has lost ${facts.lost} since the newest root of ${facts.feedId}: nothing is attested; if EIA did remove them, run "feeds attest ${facts.feedId} --accept-shrunk"`,
)

/** A snapshot, and the chain that it is compared with. */
export interface DatasetInput {
  readonly feed: DatasetConfig
  readonly manifest: Pick<Manifest, 'root' | 'size' | 'newestPeriod' | 'periods'>
  /** How many values the snapshot has of each period. */
  readonly counts: PeriodCounts
  /** The newest root on chain; null if there is none. */
  readonly latest: ChainValue | null
  /** The counts of that root's snapshot; null if it is not at hand. */
  readonly before: PeriodCounts | null
  /** Epoch milliseconds. */
  readonly now: number
  /** Height of the block at which the chain was read. */
  readonly height: number
  /** Whether a dataset that has shrunk is attested. */
  readonly acceptsShrunk: boolean
}

/** Plans the attestation of a dataset's root, unless the chain has it. Pure. Never throws. */
export function planDataset(input: DatasetInput): FeedPlan {
  const { feed, manifest, latest, height, acceptsShrunk } = input
  const { feed_id: feedId, frequency } = feed
  const { newestPeriod, size, root } = manifest
  const row = { period: newestPeriod, value: String(size), unit: DATASET_UNIT, statedUnit: null }
  let about: Known = { row, result: null }
  try {
    const value = {
      period: encodePeriod(frequency, newestPeriod),
      amount: BigInt(size),
      source_hash: root,
    }
    const result = { ...value, decision: decideRoot(latest, value), unit: DATASET_UNIT }
    about = { row, result }
    const isCompared = latest !== null && result.decision !== 'unchanged' && !acceptsShrunk
    const lost = isCompared ? findLoss({ ...input, ...manifest, frequency, latest }) : null
    if (latest !== null && lost !== null)
      throw new DatasetShrankError({ feedId, lost, onChain: latest, found: value })
    const steps: PlannedFeed['steps'] =
      result.decision === 'unchanged' ? [] : [[{ feed_id: feedId, ...value, role: 'newest' }]]
    return {
      feedId,
      height,
      latest,
      steps,
      about: { row, result },
      missing: 0,
      leftOut: [],
      gaps: [],
      error: null,
    }
  } catch (error) {
    return { feedId, about, error: asError(error) }
  }
}

function decideRoot(latest: ChainValue | null, value: ChainValue): ValueResult['decision'] {
  if (latest === null || latest.period < value.period) return 'new-period'
  return isSameValue(value, latest) ? 'unchanged' : 'revision'
}
