import pLimit from 'p-limit'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { type ObserveOptions, observe } from '../look/observe.ts'
import type { View } from '../look/view.ts'
import { type FeedPlan, type Known, type PlanTerms, planFeed } from '../plan/plan.ts'
import type { Outbox } from '../send/createOutbox.ts'
import { LATE, type PatienceOptions, TransactionSlowError, withPatience } from '../send/patience.ts'
import { asError, progressOf, sendBatch } from '../send/sendBatch.ts'
import { type Close, createWaitingPlans, type WaitingPlans } from './waitingPlans.ts'

export interface CyclesOptions
  extends Omit<ObserveOptions, 'offersMany'>,
    Pick<PlanTerms, 'maxSteps'>,
    PatienceOptions {
  openView: () => Promise<View>
  openOutbox: () => Promise<Outbox>
  /** Called with each feed's outcome as soon as it is done. Must not throw. */
  onOutcome: (outcome: FeedOutcome) => void
}

/** A cycle of some feeds. Neither of its promises rejects. */
export interface Cycle {
  /** Settled when the feeds were looked at, and what is due was handed to the outbox. */
  readonly looked: Promise<void>
  /** Settled when every feed has its outcome: what was sent is executed, has failed, or is slow. */
  readonly done: Promise<readonly FeedOutcome[]>
}

/** Looks at feeds, and sends what is due, independently of each other. */
export interface Cycles {
  /** Begins a cycle, in which each feed has one outcome. */
  begin(feeds: readonly FeedConfig[]): Cycle
  /** Waits until nothing is followed any more. */
  drain(): Promise<void>
}

/** Feeds read at once; the EIA client keeps to the rate limit. */
const FEEDS_AT_ONCE = 8

/** An outbox, and the plans that wait to be sent by it. */
interface OpenOutbox {
  readonly outbox: Outbox
  readonly plans: WaitingPlans
}

const nothingKnown: Known = { row: null, result: null }

/** Creates what takes feeds through cycles. A feed fails alone, or together with those that share its transaction. */
export function createCycles(options: CyclesOptions): Cycles {
  const { openView, openOutbox, onOutcome, patienceMs, wait, now, stop } = options
  const underWay = new Set<Promise<unknown>>()
  let opened: OpenOutbox | null = null

  function report(outcome: FeedOutcome, closes: readonly Close[]): void {
    onOutcome(outcome)
    for (const close of closes) close(outcome)
  }

  /** Keeps work for {@link Cycles.drain}: if it fails late, nobody else awaits it. */
  function track<T>(work: Promise<T>): Promise<T> {
    underWay.add(work)
    const forget = () => void underWay.delete(work)
    work.then(forget, forget)
    return work
  }

  const attestWith =
    (outbox: Outbox): Outbox['attest'] =>
    async (attestations, basis) => {
      stop.throwIfAborted()
      const work = track(outbox.attest(attestations, basis))
      const sent = await withPatience(work, { patienceMs, wait })
      if (sent !== LATE) return sent
      const [pending] = attestations.flatMap(({ feed_id }) => outbox.pendingOf(feed_id) ?? [])
      throw new TransactionSlowError(pending ?? null, patienceMs ?? 0, now())
    }

  /** Plans wait across cycles, until another outbox is opened. */
  async function open(): Promise<OpenOutbox> {
    const outbox = await openOutbox()
    if (opened?.outbox === outbox) return opened
    const attest = attestWith(outbox)
    const plans = createWaitingPlans({
      batch: outbox,
      wait,
      send: (batch, closesOf) =>
        void track(sendBatch(batch, attest, (outcome) => report(outcome, closesOf(outcome.feedId)))),
    })
    opened = { outbox, plans }
    return opened
  }

  /** Feeds that an earlier run left pending are looked at when that is settled, while the others are sent. */
  async function look(feeds: readonly FeedConfig[], close: Close): Promise<void> {
    const to = await open()
    const { outbox } = to
    await outbox.listPending()
    const resumed = withPatience(track(outbox.resume()), { patienceMs, wait })
    const isPending = ({ feed_id }: FeedConfig) => outbox.pendingOf(feed_id) !== null
    const left = feeds.filter(isPending)
    const lookAgain = () => lookAtAll(left, to, close)
    void track(resumed.then(lookAgain, lookAgain))
    await lookAtAll(
      feeds.filter((feed) => !left.includes(feed)),
      to,
      close,
    )
  }

  async function lookAtAll(
    feeds: readonly FeedConfig[],
    { outbox, plans }: OpenOutbox,
    close: Close,
  ): Promise<void> {
    if (feeds.length === 0) return
    const view = await openView().catch(asError)
    if (view instanceof Error) {
      for (const { feed_id } of feeds) report(failedOutcome(feed_id, view, nothingKnown), [close])
      return
    }
    await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
      const plan = await lookAt(feed, outbox, view)
      if (plan.error === null && plan.steps.length > 0) return plans.add(plan, close)
      const closes = [...plans.remove(plan.feedId), close]
      if (plan.error !== null) report(failedOutcome(plan.feedId, plan.error, plan.about), closes)
      else report(decidedOutcome(plan.feedId, plan.about, progressOf(plan)), closes)
    })
    plans.flush()
  }

  async function lookAt(feed: FeedConfig, outbox: Outbox, view: View): Promise<FeedPlan> {
    const { offersMany, paymentMotes } = outbox
    try {
      outbox.assertFree(feed.feed_id)
    } catch (error) {
      return { feedId: feed.feed_id, error: asError(error), about: nothingKnown }
    }
    const seen = await observe(feed, view, { ...options, offersMany })
    return planFeed(feed, seen, { ...options, offersMany, paymentMotes })
  }

  return {
    begin(feeds) {
      const outcomes: FeedOutcome[] = []
      const { promise: done, resolve } = Promise.withResolvers<readonly FeedOutcome[]>()
      const close = (outcome: FeedOutcome) => {
        outcomes.push(outcome)
        if (outcomes.length === feeds.length) resolve(outcomes)
      }
      const failAll = (error: unknown) => {
        for (const { feed_id } of feeds) report(failedOutcome(feed_id, asError(error), nothingKnown), [close])
      }
      if (feeds.length === 0) resolve([])
      return { looked: track(look(feeds, close)).catch(failAll), done }
    },
    async drain() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}
