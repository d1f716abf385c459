import type { Signer } from '@wattfeed/casper/transaction'
import type { OutboxStep } from '../../../agent/events.ts'
import type { JoinedCommittee } from '../../../agent/run/joinCommittee.ts'
import type { OpenAgent } from '../../../agent/run/openAgent.ts'
import type { Platform } from '../../../agent/run/platform.ts'
import type { SeriesConfig } from '../../../feeds/file/feedConfig.ts'
import { printable } from '../../../runtime/printable.ts'
import type { Terminal } from '../../../runtime/terminal.ts'
import { formatCspr } from '../../amounts.ts'
import type { FeedsSettings } from '../../settings.ts'
import type { BackfillPlan, PeriodRange } from './planBackfill.ts'

/** A backfill of one feed. No other process attests to it meanwhile. */
export interface BackfillRun {
  agent: OpenAgent
  settings: Pick<FeedsSettings, 'gasPriceTolerance'>
  /** Null in a dry run without a key. */
  signer: Signer | null
  /** Null if the key signs alone, and in a dry run. */
  committee: JoinedCommittee | null
  feed: SeriesConfig
  range: PeriodRange
  restates: boolean
  isDryRun: boolean
  platform: Pick<Platform, 'now' | 'wait'>
  listener: BackfillListener
  state: BackfillState
}

export type BackfillListener = Pick<Terminal, 'progress' | 'milestone'>

/** How far a backfill is: {@link noteStep} counts its transactions, and runBackfill.ts its values. */
export interface BackfillState {
  /** The first plan; null until something is known. */
  plan: BackfillPlan | null
  /** Number of its periods on chain. */
  attested: number
  /** Whether a transaction may have reached a node. */
  hasSent: boolean
  /** Number and cost of the executed transactions, without those of an earlier run. */
  transactions: number
  chargedMotes: bigint
  /** When progress was last reported, in epoch milliseconds. */
  saidAt: number
  /** Whether a committee attests it: known once its agent is open, and also set in a dry run, which joins none. */
  isTogether: boolean
}

/**
 * Counts what a step of a transaction shows. Before there is a plan it is an earlier run's, which the estimate does not cover.
 * A member of a committee counts what it waits for, because it also sends the transactions of others.
 */
export function noteStep(
  feedId: string,
  step: OutboxStep,
  state: BackfillState,
  { milestone }: Pick<BackfillListener, 'milestone'>,
): void {
  if (step.step === 'written') state.hasSent = true
  if (step.step !== 'settled') return
  const { feedIds, attestedFeedIds, outcome, chargedMotes } = step.settled
  if (chargedMotes === null || feedIds.some((each) => each !== feedId)) return
  if (state.isTogether && (state.plan === null || attestedFeedIds.length === 1)) return
  if (state.plan === null) {
    const cost = formatCspr(chargedMotes)
    milestone(printable(`${feedId}: a transaction of an earlier run was executed, for ${cost}`))
    return
  }
  if (outcome === 'executed' && !state.isTogether) state.transactions += 1
  state.chargedMotes += chargedMotes
}
