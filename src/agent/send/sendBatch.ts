import { asError } from '../../runtime/asError.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome, type Progress } from '../feedOutcome.ts'
import type { Role } from '../plan/groupSteps.ts'
import type { Plan, PlannedFeed } from '../plan/plan.ts'
import { FeedBackfillingError, FeedPendingError } from '../state/feedPending.ts'
import type { Batch } from './batchPlans.ts'
import type { Outbox } from './createOutbox.ts'

type Attest = Outbox['attest']
/** Called with the outcome of a feed. */
export type Settle = (outcome: FeedOutcome) => void

/** Sends plans, and settles each of their feeds with its outcome. Never throws. */
export async function sendBatch(
  batch: Batch,
  { attest, isTogether = false }: Pick<Outbox, 'attest' | 'isTogether'>,
  settle: Settle,
): Promise<void> {
  if (batch.isShared && !isTogether) await sendShared(batch, attest, settle)
  else await Promise.all(batch.plans.map((plan) => sendSteps(plan, attest, settle)))
}

/** Sends values in one transaction. If another process attests to a feed, sends the others without it. */
async function sendShared(
  { plans, step }: Pick<Extract<Batch, { isShared: true }>, 'plans' | 'step'>,
  attest: Attest,
  settle: Settle,
): Promise<void> {
  try {
    const { executed, dropped } = await attest(step)
    const hashes = executed === null ? [] : [executed.transactionHash]
    for (const plan of plans) {
      const { feedId, about } = plan
      const decision = dropped.find((each) => each.feedId === feedId)?.decision
      if (decision === undefined) settle(decidedOutcome(feedId, about, progressOf(plan, plan.steps, hashes)))
      else settle({ ...decidedOutcome(feedId, about), decision })
    }
  } catch (error) {
    const isTaken = error instanceof FeedPendingError || error instanceof FeedBackfillingError
    const isFailed = (feedId: string) => !isTaken || feedId === error.feedId
    for (const plan of plans.filter(({ feedId }) => isFailed(feedId)))
      settle(failedOutcome(plan.feedId, asError(error), plan.about, progressOf(plan)))
    const others = plans.filter(({ feedId }) => !isFailed(feedId))
    const rest = step.filter(({ feed_id }) => !isFailed(feed_id))
    if (others.length > 0) await sendShared({ plans: others, step: rest }, attest, settle)
  }
}

/** Sends a plan's steps one after the other, because the order of transactions in a block is unknown. */
async function sendSteps(plan: PlannedFeed, attest: Attest, settle: Settle): Promise<void> {
  const { feedId, steps } = plan
  let { about } = plan
  const hashes: string[] = []
  let signers: readonly string[] = []
  let sent = 0
  let basedOn = plan.latest
  try {
    for (const step of steps) {
      const attested = await attest(step, { basedOn, height: plan.height })
      if (attested.executed !== null) hashes.push(attested.executed.transactionHash)
      signers = attested.signers ?? []
      about = attested.about ?? about
      sent += 1
      basedOn = step.at(-1) ?? basedOn
    }
    settle(decidedOutcome(feedId, about, { ...progressOf(plan, steps, hashes), signers }))
  } catch (error) {
    settle(failedOutcome(feedId, asError(error), about, progressOf(plan, steps.slice(0, sent), hashes)))
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
