import pLimit from 'p-limit'
import type { SourcedAttestation } from '../decide.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome, type Known, type Progress } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { MAX_BATCH } from '../outbox/attestCall.ts'
import { batchAttestations } from '../outbox/batchAttestations.ts'
import { FeedBackfillingError, FeedPendingError } from '../outbox/feedLocks.ts'
import { createBatcher } from './batcher.ts'
import { type Plan, type PlanInput, type PlannedAttestation, planFeed, type Role } from './plan.ts'
import { type PlanInputOptions, readPlanInput } from './planInput.ts'
import type { Prepared, Sender } from './sender.ts'

export interface CycleOptions extends Omit<PlanInputOptions, keyof Prepared | 'onKnown'> {
  sender: Sender
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called with each feed's outcome as soon as it is done. Must not throw. */
  onOutcome: (outcome: FeedOutcome) => void
}

/** A feed's plan, and the chain's newest value that it is based on. */
interface PlannedFeed extends Plan, Pick<PlanInput, 'latest'> {
  feedId: string
}

/** The only value of a plan, which may share its transaction with other feeds. */
interface Candidate extends SourcedAttestation {
  plan: PlannedFeed
}

type Settle = (outcome: FeedOutcome) => void

/** Feeds read at once; the EIA client keeps to the rate limit. */
const FEEDS_AT_ONCE = 8
/** How long a value waits for others to share its transaction. */
const BATCH_WAIT_MS = 3_000

/**
 * Reads, decides and attests each feed once. Values are attested while others are still being fetched. A feed fails
 * alone, or together with those that share its transaction. Never throws.
 */
export async function runCycle(
  feeds: readonly FeedConfig[],
  options: CycleOptions,
): Promise<readonly FeedOutcome[]> {
  const outcomes: FeedOutcome[] = []
  const settle: Settle = (outcome) => {
    outcomes.push(outcome)
    options.onOutcome(outcome)
  }
  const prepared = await options.sender.prepare().catch(asError)
  if (!(prepared instanceof Error)) await runFeeds(feeds, { ...options, ...prepared }, settle)
  else for (const { feed_id } of feeds) settle(failedOutcome(feed_id, prepared, { row: null, result: null }))
  return outcomes
}

type PreparedOptions = Omit<CycleOptions, 'onOutcome'> & Prepared

async function runFeeds(
  feeds: readonly FeedConfig[],
  options: PreparedOptions,
  settle: Settle,
): Promise<void> {
  const sends: Promise<void>[] = []
  const batcher = createBatcher<Candidate>({
    group: (candidates) => batchAttestations(candidates, options),
    maxItems: options.offersMany ? MAX_BATCH : 1,
    waitMs: BATCH_WAIT_MS,
    wait: options.wait,
    take: (batch) => void sends.push(sendBatch(batch, options, settle)),
  })
  await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
    const plan = await findPlan(feed, options)
    if ('error' in plan) return settle(plan)
    const only = onlyAttestation(plan)
    if (only === null) sends.push(sendSteps(plan, options, settle))
    else batcher.add({ ...only, plan })
  })
  batcher.flush()
  await Promise.all(sends)
}

/** Returns what to attest of a feed, or the outcome of one that failed. */
async function findPlan(feed: FeedConfig, options: PreparedOptions): Promise<PlannedFeed | FeedOutcome> {
  let known: Known = { row: null, result: null }
  const onKnown = (now: Known) => {
    known = now
  }
  try {
    const input = await readPlanInput(feed, { ...options, onKnown })
    return { ...planFeed(input), feedId: feed.feed_id, latest: input.latest }
  } catch (error) {
    return failedOutcome(feed.feed_id, asError(error), known)
  }
}

/** Returns the attestation of a plan that has only one; null for any other plan. */
function onlyAttestation({ steps: [first = [], second] }: Plan): PlannedAttestation | null {
  const [only, other] = first
  return only !== undefined && other === undefined && second === undefined ? only : null
}

/** Sends values in one transaction; without those of feeds that another process attests to by then. */
async function sendBatch(
  batch: readonly Candidate[],
  options: PreparedOptions,
  settle: Settle,
): Promise<void> {
  const { sender, stop } = options
  try {
    stop.throwIfAborted()
    const { transactionHash, superseded } = await sender.send(batch)
    for (const { feed_id: feedId, plan } of batch) {
      const decision = superseded.get(feedId)
      const hashes = transactionHash === null ? [] : [transactionHash]
      if (decision !== undefined) settle({ ...decidedOutcome(feedId, plan.about), decision })
      else settle(decidedOutcome(feedId, plan.about, transactionHash, progressOf(plan, plan.steps, hashes)))
    }
  } catch (error) {
    const isTaken = error instanceof FeedPendingError || error instanceof FeedBackfillingError
    const failed = isTaken ? batch.filter(({ feed_id }) => feed_id === error.feedId) : batch
    for (const { feed_id: feedId, plan } of failed)
      settle(failedOutcome(feedId, asError(error), plan.about, progressOf(plan, [], [])))
    const others = batch.filter((each) => !failed.includes(each))
    if (others.length > 0) await sendBatch(others, options, settle)
  }
}

/** Sends a plan's steps, each when the one before is executed: a block's transactions have no known order. */
async function sendSteps(
  plan: PlannedFeed,
  { sender, stop }: PreparedOptions,
  settle: Settle,
): Promise<void> {
  const { feedId, steps, about } = plan
  const hashes: string[] = []
  const sent: (readonly PlannedAttestation[])[] = []
  let basedOn = plan.latest
  try {
    for (const step of steps) {
      stop.throwIfAborted()
      const { transactionHash } = await sender.send(step, { basedOn })
      if (transactionHash !== null) hashes.push(transactionHash)
      sent.push(step)
      basedOn = step.at(-1) ?? basedOn
    }
    settle(decidedOutcome(feedId, about, hashes.at(-1) ?? null, progressOf(plan, sent, hashes)))
  } catch (error) {
    settle(failedOutcome(feedId, asError(error), about, progressOf(plan, sent, hashes)))
  }
}

/** Returns what a plan has come to after these steps. */
function progressOf(
  { steps, missing, leftOut, gaps }: Plan,
  sent: Plan['steps'],
  transactionHashes: readonly string[],
): Progress {
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

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
