import { defineError } from '@wattfeed/base'
import { DATASET_UNIT, type Manifest } from '@wattfeed/dataset'
import { encodePeriod, readablePeriod } from '@wattfeed/eia'
import { asError } from '../asError.ts'
import type { DatasetConfig } from '../feeds/feedConfig.ts'
import { type ChainValue, isSameValue, type ValueResult } from '../plan/decide.ts'
import type { FeedPlan, Known, PlannedFeed } from '../plan/plan.ts'

/** A dataset has lost values, or its newest period. Nothing is attested until it is confirmed. */
const DatasetShrankError = defineError(
  'DatasetShrankError',
  'dataset_shrank',
  (facts: {
    feedId: string
    /** The newest root on chain. */
    onChain: Pick<ChainValue, 'amount' | 'period'>
    /** What EIA has now. */
    found: Pick<ChainValue, 'amount' | 'period'>
  }) =>
    `EIA has ${wordsOf(facts.found)} for ${facts.feedId}, but the newest root on chain is of ${wordsOf(facts.onChain)}: nothing is attested; if EIA did remove them, run "feeds attest ${facts.feedId} --accept-shrunk"`,
)

const wordsOf = ({ amount, period }: Pick<ChainValue, 'amount' | 'period'>): string =>
  `${amount} values up to ${readablePeriod(period)}`

/** A snapshot, and the chain that it is compared with. */
export interface DatasetInput {
  readonly feed: DatasetConfig
  readonly manifest: Pick<Manifest, 'root' | 'size' | 'newestPeriod'>
  /** The newest root on chain; null if there is none. */
  readonly latest: ChainValue | null
  /** Height of the block at which the chain was read. */
  readonly height: number
  /** Whether a dataset that has shrunk is attested. */
  readonly acceptsShrunk: boolean
}

/** Plans the attestation of a dataset's root, unless the chain has it. Pure. Never throws. */
export function planDataset({ feed, manifest, latest, height, acceptsShrunk }: DatasetInput): FeedPlan {
  const feedId = feed.feed_id
  const { newestPeriod, size, root } = manifest
  const row = { period: newestPeriod, value: String(size), unit: DATASET_UNIT, statedUnit: null }
  let about: Known = { row, result: null }
  try {
    const value = {
      period: encodePeriod(feed.frequency, newestPeriod),
      amount: BigInt(size),
      source_hash: root,
    }
    const result = { ...value, decision: decideRoot(latest, value), unit: DATASET_UNIT }
    about = { row, result }
    if (latest !== null && hasShrunk(latest, value) && !acceptsShrunk)
      throw new DatasetShrankError({ feedId, onChain: latest, found: value })
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

/** Whether more than a tenth of the values are gone, or the newest period is. */
const hasShrunk = (latest: ChainValue, { amount, period }: ChainValue): boolean =>
  period < latest.period || amount * 10n < latest.amount * 9n
