import { WattfeedError } from '../../errors.ts'
import { asError } from '../asError.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome, type Progress } from '../feedOutcome.ts'
import { type BatchOptions, batchAttestations, MAX_BATCH } from '../plan/attestCall.ts'
import type { Plan, PlannedAttestation, PlannedFeed, Role } from '../plan/plan.ts'
import type { PendingAttestations } from '../state/attestPurpose.ts'
import { expiryWords, FeedBackfillingError, FeedPendingError } from '../state/feedPending.ts'
import type { Outbox } from './createOutbox.ts'

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
function onlyValueOf({ steps: [first = [], second] }: PlannedFeed): PlannedAttestation | null {
  const [only, other] = first
  return only !== undefined && other === undefined && second === undefined ? only : null
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

type Attest = Outbox['attest']
type Settle = (outcome: FeedOutcome) => void

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
  const { feedId, steps, about } = plan
  const hashes: string[] = []
  let signers: readonly string[] = []
  let sent = 0
  let basedOn = plan.latest
  try {
    for (const step of steps) {
      const attested = await attest(step, { basedOn, height: plan.height })
      if (attested.executed !== null) hashes.push(attested.executed.transactionHash)
      signers = attested.signers ?? []
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

interface Patience {
  /** In milliseconds; null waits without a limit. */
  readonly patienceMs: number | null
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The result if the work is not done in time. */
export const LATE: unique symbol = Symbol('late')

/** Waits for work up to a time limit; the work itself continues. */
export async function withPatience<T>(
  work: Promise<T>,
  { patienceMs, wait }: Patience,
): Promise<T | typeof LATE> {
  if (patienceMs === null) return work
  const controller = new AbortController()
  const late = wait(patienceMs, controller.signal).then((): typeof LATE => LATE)
  // It rejects if the work is done first.
  late.catch(() => {})
  try {
    return await Promise.race<T | typeof LATE>([work, late])
  } finally {
    controller.abort()
  }
}

/** A transaction takes longer than its feeds wait. It is still followed. */
export class TransactionSlowError extends WattfeedError {
  static override readonly name = 'TransactionSlowError'
  readonly code = 'transaction_slow'
  readonly retryable = true
  /** 64 hex digits; null if it is not signed yet. */
  readonly transactionHash: string | null
  /** When it expires, in epoch milliseconds; null if it is not signed yet. */
  readonly waitsUntil: number | null

  constructor(
    pending: Pick<PendingAttestations, 'transaction_hash' | 'expires_at'> | null,
    readonly patienceMs: number,
    /** Epoch milliseconds. */
    now: number,
  ) {
    const { transaction_hash = null, expires_at = null } = pending ?? {}
    super(
      `transaction ${transaction_hash ?? '(not signed yet)'} is not executed after ${patienceMs} ms; the agent still follows it and skips its feeds until it is settled${expiryWords(expires_at, now)}`,
    )
    this.transactionHash = transaction_hash
    this.waitsUntil = expires_at
  }
}
