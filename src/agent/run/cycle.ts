import pLimit from 'p-limit'
import { asError } from '../asError.ts'
import type { Report } from '../events.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { observe } from '../look/observe.ts'
import type { Observer } from '../look/observer.ts'
import type { View } from '../look/view.ts'
import { type FeedPlan, type Known, type PlannedFeed, planFeed } from '../plan/plan.ts'
import { batchPlans } from '../send/batchPlans.ts'
import type { Outbox } from '../send/createOutbox.ts'
import { LATE, TransactionSlowError, withPatience } from '../send/patience.ts'
import { progressOf, sendBatch } from '../send/sendBatch.ts'
import { pendingFeedIds } from '../state/attestPurpose.ts'

/** A cycle of some feeds. Its promises never reject. */
export interface Cycle {
  /** Settles when all feeds were polled and the due values were handed to the outbox. */
  readonly polled: Promise<void>
  /** Settles when every feed has its outcome: its transaction executed, failed, or is slow. */
  readonly done: Promise<readonly FeedOutcome[]>
}

/** What the cycles of an agent work with. */
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

/** How long a value waits for others to share its transaction. */
const BATCH_WAIT_MS = 3_000

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

const nothingKnown: Known = { row: null, result: null }

/** Polls feeds and sends due values. Sending never delays polling. A failing feed affects only those that share its transaction. */
export class Cycles {
  readonly #parts: CycleParts
  /** Unfinished work. */
  readonly #underWay = new Set<Promise<unknown>>()
  #queue: Queue | null = null

  constructor(parts: CycleParts) {
    this.#parts = parts
  }

  /** Starts a cycle, in which each feed has one outcome. */
  begin(feeds: readonly FeedConfig[]): Cycle {
    const outcomes: FeedOutcome[] = []
    const { promise: done, resolve } = Promise.withResolvers<readonly FeedOutcome[]>()
    const close = (outcome: FeedOutcome) => {
      outcomes.push(outcome)
      if (outcomes.length === feeds.length) resolve(outcomes)
    }
    if (feeds.length === 0) resolve([])
    const polled = this.#track(this.#poll(feeds, close)).catch((error) =>
      this.#failAll(feeds, asError(error), close),
    )
    return { polled, done }
  }

  /** Waits until no transaction is followed any more. */
  async drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }

  /** Polls feeds. Feeds with a transaction from an earlier run are polled when it is settled; the others do not wait. */
  async #poll(feeds: readonly FeedConfig[], close: Close): Promise<void> {
    const queue = await this.#openQueue()
    const { outbox } = queue
    const pendingIds = new Set(outbox.listPending().flatMap(pendingFeedIds))
    const resumed = withPatience(this.#track(outbox.resume()), this.#parts)
    const pending = feeds.filter(({ feed_id }) => pendingIds.has(feed_id))
    const planPending = () => this.#planAll(pending, queue, close)
    void this.#track(resumed.then(planPending, planPending))
    const free = feeds.filter((feed) => !pending.includes(feed))
    await this.#planAll(free, queue, close)
  }

  /** Returns the queue of the current outbox. It is kept across cycles until the outbox changes. */
  async #openQueue(): Promise<Queue> {
    const outbox = await this.#parts.openOutbox()
    if (this.#queue?.outbox !== outbox) this.#queue = { outbox, waiting: new Map(), timer: null }
    return this.#queue
  }

  /** Plans feeds at one view of the chain, and sends what is due. */
  async #planAll(feeds: readonly FeedConfig[], queue: Queue, close: Close): Promise<void> {
    if (feeds.length === 0) return
    const view = await this.#parts.openView().catch(asError)
    if (view instanceof Error) return this.#failAll(feeds, view, close)
    await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
      const plan = await planOne(feed, queue.outbox, view, this.#parts)
      const { feedId, about } = plan
      const closes = [...takeWaiting(queue, feedId), close]
      if (plan.error !== null) this.#settle(failedOutcome(feedId, plan.error, about), closes)
      else if (plan.steps.length === 0)
        this.#settle(decidedOutcome(feedId, plan.about, progressOf(plan)), closes)
      else {
        queue.waiting.set(feedId, { plan, closes })
        this.#sendWaiting(queue, 'full')
        if (queue.waiting.size > 0 && queue.timer === null) this.#startTimer(queue)
      }
    })
    this.#sendWaiting(queue, 'all')
  }

  #startTimer(queue: Queue): void {
    queue.timer = new AbortController()
    this.#parts.wait(BATCH_WAIT_MS, queue.timer.signal).then(
      () => this.#sendWaiting(queue, 'all'),
      // Aborted, because the plans are sent.
      () => {},
    )
  }

  /** Sends the waiting plans: all, or the transactions that no further plan can join. */
  #sendWaiting(queue: Queue, which: 'all' | 'full'): void {
    const plans = [...queue.waiting.values()].map(({ plan }) => plan)
    for (const batch of batchPlans(plans, queue.outbox)) {
      if (which === 'full' && batch.isOpen) continue
      // The timer belongs to the first waiting value.
      queue.timer?.abort()
      queue.timer = null
      const closes = new Map(batch.plans.map(({ feedId }) => [feedId, takeWaiting(queue, feedId)]))
      const settle = (outcome: FeedOutcome) => this.#settle(outcome, closes.get(outcome.feedId) ?? [])
      void this.#track(sendBatch(batch, this.#sender(queue.outbox), settle))
    }
  }

  /** Returns an outbox with the feeds' patience. A committee has its own. */
  #sender(outbox: Outbox): Pick<Outbox, 'attest' | 'isTogether'> {
    if (outbox.isTogether) return outbox
    const { patienceMs, observer } = this.#parts
    return {
      /** @throws {TransactionSlowError} when the transaction takes longer than `patienceMs`; it is still followed. */
      attest: async (attestations, basis) => {
        observer.stop.throwIfAborted()
        const sent = await withPatience(this.#track(outbox.attest(attestations, basis)), this.#parts)
        if (sent !== LATE) return sent
        const isOf = ({ feed_id }: { feed_id: string }) =>
          attestations.some((each) => each.feed_id === feed_id)
        const pending = outbox.listPending().find(({ purpose }) => purpose.attestations.some(isOf))
        throw new TransactionSlowError(pending ?? null, patienceMs ?? 0, observer.now())
      },
    }
  }

  #failAll(feeds: readonly FeedConfig[], error: Error, close: Close): void {
    for (const { feed_id } of feeds) this.#settle(failedOutcome(feed_id, error, nothingKnown), [close])
  }

  #settle(outcome: FeedOutcome, closes: readonly Close[]): void {
    void this.#parts.report({ event: 'outcome', outcome })
    for (const close of closes) close(outcome)
  }

  /** Lets {@link drain} wait for work that may finish after its caller has stopped waiting. */
  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    const forget = () => void this.#underWay.delete(work)
    work.then(forget, forget)
    return work
  }
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
