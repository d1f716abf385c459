import pLimit from 'p-limit'
import type { Report } from '../events.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { observe } from '../look/observe.ts'
import type { Observer } from '../look/observer.ts'
import type { View } from '../look/view.ts'
import { type FeedPlan, type Known, type PlannedFeed, planFeed } from '../plan/plan.ts'
import type { Outbox } from '../send/createOutbox.ts'
import { progressOf, sendBatch } from '../send/sendBatch.ts'
import { LATE, TransactionSlowError, withPatience } from '../send/patience.ts'
import { batchPlans } from '../send/batchPlans.ts'
import { asError } from '../asError.ts'
import { pendingFeedIds } from '../state/attestPurpose.ts'

/** A cycle of some feeds. Its promises never reject. */
export interface Cycle {
  /** Settles when all feeds were polled and the due values were handed to the outbox. */
  readonly polled: Promise<void>
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
  readonly observer: Observer
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

/** The plans that wait to be sent through an outbox. */
interface Queue {
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
  queue: Queue | null
}

const nothingKnown: Known = { row: null, result: null }

/** Creates the cycles of an agent. A failing feed affects only the feeds that share its transaction. */
export function createCycles(parts: CycleParts): Cycles {
  const cycles: CyclesState = { parts, underWay: new Set(), queue: null }
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
  const polled = track(cycles, poll(cycles, feeds, close)).catch((error) =>
    failAll(cycles, feeds, asError(error), close),
  )
  return { polled, done }
}

/** Polls feeds. Feeds with a transaction from an earlier run are polled when it is settled; the others do not wait. */
async function poll(cycles: CyclesState, feeds: readonly FeedConfig[], close: Close): Promise<void> {
  const queue = await openQueue(cycles)
  const { outbox } = queue
  const pendingIds = new Set(outbox.listPending().flatMap(pendingFeedIds))
  const resumed = withPatience(track(cycles, outbox.resume()), cycles.parts)
  const pending = feeds.filter(({ feed_id }) => pendingIds.has(feed_id))
  const planPending = () => planAll(cycles, pending, queue, close)
  void track(cycles, resumed.then(planPending, planPending))
  const free = feeds.filter((feed) => !pending.includes(feed))
  await planAll(cycles, free, queue, close)
}

/** Returns the queue of the current outbox. It is kept across cycles until the outbox changes. */
async function openQueue(cycles: CyclesState): Promise<Queue> {
  const outbox = await cycles.parts.openOutbox()
  if (cycles.queue?.outbox !== outbox) cycles.queue = { outbox, waiting: new Map(), timer: null }
  return cycles.queue
}

/** Plans feeds at one view of the chain, and sends what is due. */
async function planAll(
  cycles: CyclesState,
  feeds: readonly FeedConfig[],
  queue: Queue,
  close: Close,
): Promise<void> {
  if (feeds.length === 0) return
  const view = await cycles.parts.openView().catch(asError)
  if (view instanceof Error) return failAll(cycles, feeds, view, close)
  await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
    const plan = await planOne(feed, queue.outbox, view, cycles.parts)
    const closes = [...takeWaiting(queue, plan.feedId), close]
    if (plan.error !== null) settle(cycles, failedOutcome(plan.feedId, plan.error, plan.about), closes)
    else if (plan.steps.length === 0)
      settle(cycles, decidedOutcome(plan.feedId, plan.about, progressOf(plan)), closes)
    else {
      queue.waiting.set(plan.feedId, { plan, closes })
      sendWaiting(cycles, queue, 'full')
      if (queue.waiting.size > 0 && queue.timer === null) startTimer(cycles, queue)
    }
  })
  sendWaiting(cycles, queue, 'all')
}

/** Reads a feed on chain and at EIA, and plans what to attest. */
async function planOne(
  feed: FeedConfig,
  outbox: Outbox,
  view: View,
  { observer, maxSteps }: CycleParts,
): Promise<FeedPlan> {
  try {
    outbox.assertFree(feed.feed_id)
  } catch (error) {
    return { feedId: feed.feed_id, error: asError(error), about: nothingKnown }
  }
  const { offersMany, paymentMotes, isTogether } = outbox
  const { chainName, accountHash } = observer
  const seen = await observe(feed, view, { ...observer, offersMany })
  const steps = isTogether ? 1 : maxSteps
  return planFeed(feed, seen, { chainName, accountHash, offersMany, paymentMotes, maxSteps: steps })
}

/** Removes the plan of a feed. Returns the handlers of its cycles. */
function takeWaiting({ waiting }: Queue, feedId: string): readonly Close[] {
  const closes = waiting.get(feedId)?.closes ?? []
  waiting.delete(feedId)
  return closes
}

/** How long a value waits for others to share its transaction. */
const BATCH_WAIT_MS = 3_000

function startTimer(cycles: CyclesState, queue: Queue): void {
  queue.timer = new AbortController()
  cycles.parts.wait(BATCH_WAIT_MS, queue.timer.signal).then(
    () => sendWaiting(cycles, queue, 'all'),
    // Aborted, because the plans are sent.
    () => {},
  )
}

/** Sends the waiting plans: all, or the transactions that no further plan can join. */
function sendWaiting(cycles: CyclesState, queue: Queue, which: 'all' | 'full'): void {
  const plans = [...queue.waiting.values()].map(({ plan }) => plan)
  for (const batch of batchPlans(plans, queue.outbox)) {
    if (which === 'full' && batch.isOpen) continue
    // The timer belongs to the first waiting value.
    queue.timer?.abort()
    queue.timer = null
    const closes = new Map(batch.plans.map(({ feedId }) => [feedId, takeWaiting(queue, feedId)]))
    const sent = sendBatch(batch, attestWith(cycles, queue.outbox), (outcome) =>
      settle(cycles, outcome, closes.get(outcome.feedId) ?? []),
    )
    void track(cycles, sent)
  }
}

/** Returns the outbox with the feeds' patience. A committee has its own. */
function attestWith(cycles: CyclesState, outbox: Outbox): Pick<Outbox, 'attest' | 'isTogether'> {
  if (outbox.isTogether) return outbox
  const { patienceMs, observer } = cycles.parts
  return {
    /** @throws {TransactionSlowError} when the transaction takes longer than `patienceMs`; it is still followed. */
    async attest(attestations, basis) {
      observer.stop.throwIfAborted()
      const sent = await withPatience(track(cycles, outbox.attest(attestations, basis)), cycles.parts)
      if (sent !== LATE) return sent
      const isOf = ({ feed_id }: { feed_id: string }) => attestations.some((each) => each.feed_id === feed_id)
      const pending = outbox.listPending().find(({ purpose }) => purpose.attestations.some(isOf))
      throw new TransactionSlowError(pending ?? null, patienceMs ?? 0, observer.now())
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
