import { decidedOutcome, type FeedOutcome, failedOutcome, type Progress } from '../feedOutcome.ts'
import type { Batch } from '../plan/batchPlans.ts'
import type { Plan, PlannedFeed, Role } from '../plan/plan.ts'
import { FeedBackfillingError, FeedPendingError } from '../state/feedPending.ts'
import type { Outbox } from './createOutbox.ts'

type Attest = Outbox['attest']
type Report = (outcome: FeedOutcome) => void

/** Sends plans, and reports the outcome of each of their feeds. Never throws. */
export const sendBatch = (batch: Batch, attest: Attest, report: Report): Promise<void> =>
  batch.isShared ? sendShared(batch, attest, report) : sendSteps(batch.plans[0], attest, report)

/** Sends values in one transaction. If another process attests to a feed, sends the others without it. */
async function sendShared(
  { plans, step }: Pick<Extract<Batch, { isShared: true }>, 'plans' | 'step'>,
  attest: Attest,
  report: Report,
): Promise<void> {
  try {
    const { executed, dropped } = await attest(step)
    const hashes = executed === null ? [] : [executed.transactionHash]
    for (const plan of plans) {
      const { feedId, about } = plan
      const decision = dropped.find((each) => each.feedId === feedId)?.decision
      if (decision === undefined) report(decidedOutcome(feedId, about, progressOf(plan, plan.steps, hashes)))
      else report({ ...decidedOutcome(feedId, about), decision })
    }
  } catch (error) {
    const isTaken = error instanceof FeedPendingError || error instanceof FeedBackfillingError
    const isFailed = (feedId: string) => !isTaken || feedId === error.feedId
    for (const plan of plans.filter(({ feedId }) => isFailed(feedId)))
      report(failedOutcome(plan.feedId, asError(error), plan.about, progressOf(plan)))
    const others = plans.filter(({ feedId }) => !isFailed(feedId))
    const rest = step.filter(({ feed_id }) => !isFailed(feed_id))
    if (others.length > 0) await sendShared({ plans: others, step: rest }, attest, report)
  }
}

/** Sends a plan's steps one after the other, because the order of transactions in a block is unknown. */
async function sendSteps(plan: PlannedFeed, attest: Attest, report: Report): Promise<void> {
  const { feedId, steps, about } = plan
  const hashes: string[] = []
  let sent = 0
  let basedOn = plan.latest
  try {
    for (const step of steps) {
      const { executed } = await attest(step, { basedOn })
      if (executed !== null) hashes.push(executed.transactionHash)
      sent += 1
      basedOn = step.at(-1) ?? basedOn
    }
    report(decidedOutcome(feedId, about, progressOf(plan, steps, hashes)))
  } catch (error) {
    report(failedOutcome(feedId, asError(error), about, progressOf(plan, steps.slice(0, sent), hashes)))
  }
}

/** Lets a committee attest the first step of a plan, and reports the outcome. The next cycle continues. Never throws. */
export async function sendTogether(
  plan: PlannedFeed,
  attest: (plan: PlannedFeed) => Promise<{ transactionHash: string; signers: readonly string[] }>,
  report: Report,
): Promise<void> {
  const { feedId, steps, about } = plan
  try {
    const { transactionHash, signers } = await attest(plan)
    const progress = progressOf(plan, steps.slice(0, 1), [transactionHash])
    report(decidedOutcome(feedId, about, { ...progress, signers }))
  } catch (error) {
    report(failedOutcome(feedId, asError(error), about, progressOf(plan)))
  }
}

/** Returns the progress of a plan after these steps. */
export function progressOf(
  { steps, missing, leftOut, gaps }: Plan,
  sent: Plan['steps'] = [],
  transactionHashes: readonly string[] = [],
): Omit<Progress, 'signers'> {
  const periods = (of: Plan['steps'], role: Role): number[] => [
    ...new Set(of.flat().flatMap((each) => (each.role === role ? each.period : []))),
  ]
  const newest = sent.at(-1)?.at(-1)?.period ?? 0
  const attested = new Set(sent.flat().map(({ period }) => period))
  return {
    transactionHashes,
    caughtUp: periods(sent, 'caught-up'),
    revised: periods(sent, 'revised'),
    missing: missing + periods(steps.slice(sent.length), 'caught-up').length,
    leftOut: leftOut.filter(({ period }) => period < newest),
    gaps: gaps.filter((period) => !attested.has(period)),
  }
}

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
