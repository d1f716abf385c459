import pLimit from 'p-limit'
import type { Report } from '../events.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { observe } from '../look/observe.ts'
import type { Look, View } from '../look/view.ts'
import { type FeedPlan, type Known, type PlannedFeed, planFeed } from '../plan/plan.ts'
import type { Outbox } from '../send/createOutbox.ts'
import {
  asError,
  type Batch,
  batchPlans,
  LATE,
  progressOf,
  sendBatch,
  TransactionSlowError,
  withPatience,
} from '../send/sendBatch.ts'
import { pendingFeedIds } from '../state/attestPurpose.ts'

/** A cycle of some feeds. Its promises never reject. */
export interface Cycle {
  /** Settles when all feeds were polled and the due values were handed to the outbox. */
  readonly looked: Promise<void>
  /** Settles when every feed has its outcome: its transaction executed, failed, or is slow. */
  readonly done: Promise<readonly FeedOutcome[]>
}

/** Polls feeds and sends due values. Sending never delays polling. */
export interface Cycles {
  /** Starts a cycle, in which each feed has one outcome. */
  begin(feeds: readonly FeedConfig[]): Cycle
  /** Waits until no transaction is followed any more. */
  drain(): Promise<void>
}

export interface CycleParts {
  readonly look: Look
  readonly openView: () => Promise<View>
  readonly openOutbox: () => Promise<Outbox>
  /** Hears each feed's outcome as soon as it is known. Must not throw. */
  readonly report: Report
  /** How long a feed waits for its transaction, in milliseconds; null waits without a limit. */
  readonly patienceMs: number | null
  /** Maximum number of transactions of a feed in a cycle; the rest wait for the next cycle. @default no limit */
  readonly maxSteps?: number | undefined
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Feeds read at once. The EIA client enforces the rate limit. */
const FEEDS_AT_ONCE = 8

/** Handles the outcome of a feed in a cycle. */
type Close = (outcome: FeedOutcome) => void

/** An outbox with the plans that wait to be sent through it. */
interface OpenOutbox {
  readonly outbox: Outbox
  /** By feed. A plan that replaces another one also closes its cycle. */
  readonly waiting: Map<string, { readonly plan: PlannedFeed; readonly closes: readonly Close[] }>
  /** Ends the wait of the first plan. */
  timer: AbortController | null
}

interface CyclesState {
  readonly parts: CycleParts
  /** Unfinished work, for {@link Cycles.drain}. */
  readonly underWay: Set<Promise<unknown>>
  opened: OpenOutbox | null
}

const nothingKnown: Known = { row: null, result: null }

/** Creates the cycles of an agent. A failing feed affects only the feeds that share its transaction. */
export function createCycles(parts: CycleParts): Cycles {
  const cycles: CyclesState = { parts, underWay: new Set(), opened: null }
  return {
    begin: (feeds) => begin(cycles, feeds),
    async drain() {
      while (cycles.underWay.size > 0) await Promise.allSettled(cycles.underWay)
    },
  }
}

function begin(cycles: CyclesState, feeds: readonly FeedConfig[]): Cycle {
  const outcomes: FeedOutcome[] = []
  const { promise: done, resolve } = Promise.withResolvers<readonly FeedOutcome[]>()
  const close = (outcome: FeedOutcome) => {
    outcomes.push(outcome)
    if (outcomes.length === feeds.length) resolve(outcomes)
  }
  if (feeds.length === 0) resolve([])
  const looked = track(cycles, look(cycles, feeds, close)).catch((error) =>
    failAll(cycles, feeds, asError(error), close),
  )
  return { looked, done }
}

/** Polls feeds. Feeds with a transaction from an earlier run are polled when it is settled; the others do not wait. */
async function look(cycles: CyclesState, feeds: readonly FeedConfig[], close: Close): Promise<void> {
  const opened = await open(cycles)
  const { outbox } = opened
  const pendingIds = new Set(outbox.listPending().flatMap(pendingFeedIds))
  const resumed = withPatience(track(cycles, outbox.resume()), cycles.parts)
  const pending = feeds.filter(({ feed_id }) => pendingIds.has(feed_id))
  const lookAtPending = () => lookAtAll(cycles, pending, opened, close)
  void track(cycles, resumed.then(lookAtPending, lookAtPending))
  const free = feeds.filter((feed) => !pending.includes(feed))
  await lookAtAll(cycles, free, opened, close)
}

/** Returns the current outbox. Waiting plans are kept across cycles until the outbox changes. */
async function open(cycles: CyclesState): Promise<OpenOutbox> {
  const outbox = await cycles.parts.openOutbox()
  if (cycles.opened?.outbox !== outbox) cycles.opened = { outbox, waiting: new Map(), timer: null }
  return cycles.opened
}

async function lookAtAll(
  cycles: CyclesState,
  feeds: readonly FeedConfig[],
  opened: OpenOutbox,
  close: Close,
): Promise<void> {
  if (feeds.length === 0) return
  const view = await cycles.parts.openView().catch(asError)
  if (view instanceof Error) return failAll(cycles, feeds, view, close)
  await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
    const plan = await lookAt(feed, opened.outbox, view, cycles.parts)
    const closes = [...takeWaiting(opened, plan.feedId), close]
    if (plan.error !== null) settle(cycles, failedOutcome(plan.feedId, plan.error, plan.about), closes)
    else if (plan.steps.length === 0)
      settle(cycles, decidedOutcome(plan.feedId, plan.about, progressOf(plan)), closes)
    else {
      opened.waiting.set(plan.feedId, { plan, closes })
      sendWaiting(cycles, opened, ({ isOpen }) => !isOpen)
      if (opened.waiting.size > 0 && opened.timer === null) startTimer(cycles, opened)
    }
  })
  sendWaiting(cycles, opened)
}

async function lookAt(
  feed: FeedConfig,
  outbox: Outbox,
  view: View,
  { look, maxSteps }: CycleParts,
): Promise<FeedPlan> {
  try {
    outbox.assertFree(feed.feed_id)
  } catch (error) {
    return { feedId: feed.feed_id, error: asError(error), about: nothingKnown }
  }
  const { offersMany, paymentMotes, isTogether } = outbox
  const { chainName, accountHash } = look
  const seen = await observe(feed, view, { ...look, offersMany })
  return planFeed(feed, seen, {
    chainName,
    accountHash,
    offersMany,
    paymentMotes,
    maxSteps: isTogether ? 1 : maxSteps,
  })
}

/** Removes the plan of a feed. Returns the handlers of its cycles. */
function takeWaiting({ waiting }: OpenOutbox, feedId: string): readonly Close[] {
  const closes = waiting.get(feedId)?.closes ?? []
  waiting.delete(feedId)
  return closes
}

/** How long a value waits for others to share its transaction. */
const BATCH_WAIT_MS = 3_000

function startTimer(cycles: CyclesState, opened: OpenOutbox): void {
  opened.timer = new AbortController()
  cycles.parts.wait(BATCH_WAIT_MS, opened.timer.signal).then(
    () => sendWaiting(cycles, opened),
    () => {},
  )
}

/** Sends the transactions that no further plan can join, or whose values have waited long enough. */
function sendWaiting(
  cycles: CyclesState,
  opened: OpenOutbox,
  isDue: (batch: Batch) => boolean = () => true,
): void {
  const plans = [...opened.waiting.values()].map(({ plan }) => plan)
  for (const batch of batchPlans(plans, opened.outbox).filter(isDue)) {
    // The timer belongs to the first waiting value.
    opened.timer?.abort()
    opened.timer = null
    const closes = new Map(batch.plans.map(({ feedId }) => [feedId, takeWaiting(opened, feedId)]))
    const sent = sendBatch(batch, attestWith(cycles, opened.outbox), (outcome) =>
      settle(cycles, outcome, closes.get(outcome.feedId) ?? []),
    )
    void track(cycles, sent)
  }
}

/** Returns the outbox with the feeds' patience. A committee has its own. */
function attestWith(cycles: CyclesState, outbox: Outbox): Pick<Outbox, 'attest' | 'isTogether'> {
  if (outbox.isTogether) return outbox
  const { patienceMs, look } = cycles.parts
  return {
    /** @throws {TransactionSlowError} when the transaction takes longer than `patienceMs`; it is still followed. */
    async attest(attestations, basis) {
      look.stop.throwIfAborted()
      const sent = await withPatience(track(cycles, outbox.attest(attestations, basis)), cycles.parts)
      if (sent !== LATE) return sent
      const isOf = ({ feed_id }: { feed_id: string }) => attestations.some((each) => each.feed_id === feed_id)
      const pending = outbox.listPending().find(({ purpose }) => purpose.attestations.some(isOf))
      throw new TransactionSlowError(pending ?? null, patienceMs ?? 0, look.now())
    },
  }
}

function failAll(cycles: CyclesState, feeds: readonly FeedConfig[], error: Error, close: Close): void {
  for (const { feed_id } of feeds) settle(cycles, failedOutcome(feed_id, error, nothingKnown), [close])
}

function settle({ parts }: CyclesState, outcome: FeedOutcome, closes: readonly Close[]): void {
  void parts.report({ event: 'outcome', outcome })
  for (const close of closes) close(outcome)
}

/** Lets {@link Cycles.drain} wait for work that may finish after its caller has stopped waiting. */
function track<T>({ underWay }: CyclesState, work: Promise<T>): Promise<T> {
  underWay.add(work)
  const forget = () => void underWay.delete(work)
  work.then(forget, forget)
  return work
}
