import pLimit from 'p-limit'
import type { AttestedTogether } from '../committee/ballots.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { type ObserveOptions, observe } from '../look/observe.ts'
import type { View } from '../look/view.ts'
import { type FeedPlan, type Known, type PlannedFeed, type PlanTerms, planFeed } from '../plan/plan.ts'
import type { Attested, Outbox } from '../send/createOutbox.ts'
import { LATE, type PatienceOptions, TransactionSlowError, withPatience } from '../send/patience.ts'
import { asError, progressOf, sendBatch, sendTogether } from '../send/sendBatch.ts'
import { type Close, createWaitingPlans, type WaitingPlans } from './waitingPlans.ts'

export interface CyclesOptions
  extends Omit<ObserveOptions, 'offersMany'>,
    Pick<PlanTerms, 'maxSteps'>,
    PatienceOptions {
  openView: () => Promise<View>
  openOutbox: () => Promise<Outbox>
  /**
   * Lets a committee attest the first transaction of a plan, and waits for that. The outbox then only settles what this key has
   * signed alone. @default null: the outbox sends
   */
  attestTogether?: ((plan: PlannedFeed) => Promise<AttestedTogether>) | null
  /** Called with each feed's outcome as soon as it is known. Must not throw. */
  onOutcome: (outcome: FeedOutcome) => void
}

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

/** Feeds read at once. The EIA client enforces the rate limit. */
const FEEDS_AT_ONCE = 8

/** An outbox with the plans that wait to be sent through it. */
interface OpenOutbox {
  readonly outbox: Outbox
  readonly plans: WaitingPlans
}

interface CyclesState {
  readonly options: CyclesOptions
  /** Unfinished work, for {@link Cycles.drain}. */
  readonly underWay: Set<Promise<unknown>>
  opened: OpenOutbox | null
}

const nothingKnown: Known = { row: null, result: null }

/** Creates the cycles of an agent. A failing feed affects only the feeds that share its transaction. */
export function createCycles(options: CyclesOptions): Cycles {
  const cycles: CyclesState = { options, underWay: new Set(), opened: null }
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
  const { patienceMs, wait } = cycles.options
  const opened = await open(cycles)
  const { outbox } = opened
  await outbox.listPending()
  const resumed = withPatience(track(cycles, outbox.resume()), { patienceMs, wait })
  const pending = feeds.filter(({ feed_id }) => outbox.pendingOf(feed_id) !== null)
  const lookAtPending = () => lookAtAll(cycles, pending, opened, close)
  void track(cycles, resumed.then(lookAtPending, lookAtPending))
  const free = feeds.filter((feed) => !pending.includes(feed))
  await lookAtAll(cycles, free, opened, close)
}

/** Returns the current outbox. Waiting plans are kept across cycles until the outbox changes. */
async function open(cycles: CyclesState): Promise<OpenOutbox> {
  const { openOutbox, wait } = cycles.options
  const outbox = await openOutbox()
  if (cycles.opened?.outbox === outbox) return cycles.opened
  const attest: Outbox['attest'] = (attestations, basis) =>
    attestWithPatience(cycles, outbox, attestations, basis)
  const plans = createWaitingPlans({
    batch: outbox,
    wait,
    send(batch, handlersOf) {
      const onOutcome = (outcome: FeedOutcome) => report(cycles, outcome, handlersOf(outcome.feedId))
      const { attestTogether } = cycles.options
      const work = attestTogether
        ? Promise.all(batch.plans.map((plan) => sendTogether(plan, attestTogether, onOutcome)))
        : sendBatch(batch, attest, onOutcome)
      void track<unknown>(cycles, work)
    },
  })
  cycles.opened = { outbox, plans }
  return cycles.opened
}

/** @throws {TransactionSlowError} when the transaction takes longer than `patienceMs`; it is still followed. */
async function attestWithPatience(
  cycles: CyclesState,
  outbox: Outbox,
  ...[attestations, basis]: Parameters<Outbox['attest']>
): Promise<Attested> {
  const { patienceMs, wait, now, stop } = cycles.options
  stop.throwIfAborted()
  const work = track(cycles, outbox.attest(attestations, basis))
  const sent = await withPatience(work, { patienceMs, wait })
  if (sent !== LATE) return sent
  const [pending] = attestations.flatMap(({ feed_id }) => outbox.pendingOf(feed_id) ?? [])
  throw new TransactionSlowError(pending ?? null, patienceMs ?? 0, now())
}

async function lookAtAll(
  cycles: CyclesState,
  feeds: readonly FeedConfig[],
  { outbox, plans }: OpenOutbox,
  close: Close,
): Promise<void> {
  if (feeds.length === 0) return
  const view = await cycles.options.openView().catch(asError)
  if (view instanceof Error) return failAll(cycles, feeds, view, close)
  await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
    const plan = await lookAt(feed, outbox, view, cycles.options)
    if (plan.error === null && plan.steps.length > 0) return plans.add(plan, close)
    const closes = [...plans.remove(plan.feedId), close]
    if (plan.error !== null) report(cycles, failedOutcome(plan.feedId, plan.error, plan.about), closes)
    else report(cycles, decidedOutcome(plan.feedId, plan.about, progressOf(plan)), closes)
  })
  plans.flush()
}

async function lookAt(
  feed: FeedConfig,
  outbox: Outbox,
  view: View,
  options: CyclesOptions,
): Promise<FeedPlan> {
  const { offersMany, paymentMotes } = outbox
  try {
    outbox.assertFree(feed.feed_id)
  } catch (error) {
    return { feedId: feed.feed_id, error: asError(error), about: nothingKnown }
  }
  const seen = await observe(feed, view, { ...options, offersMany })
  return planFeed(feed, seen, { ...options, offersMany, paymentMotes })
}

function failAll(cycles: CyclesState, feeds: readonly FeedConfig[], error: Error, close: Close): void {
  for (const { feed_id } of feeds) report(cycles, failedOutcome(feed_id, error, nothingKnown), [close])
}

function report({ options }: CyclesState, outcome: FeedOutcome, closes: readonly Close[]): void {
  options.onOutcome(outcome)
  for (const close of closes) close(outcome)
}

/** Lets {@link Cycles.drain} wait for work that may finish after its caller has stopped waiting. */
function track<T>({ underWay }: CyclesState, work: Promise<T>): Promise<T> {
  underWay.add(work)
  const forget = () => void underWay.delete(work)
  work.then(forget, forget)
  return work
}
