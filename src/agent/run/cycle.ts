import pLimit from 'p-limit'
import {
  type DatasetConfig,
  type FeedConfig,
  isDataset,
  isSeries,
  type SeriesConfig,
} from '../../feeds/file/feedConfig.ts'
import { asError } from '../../runtime/asError.ts'
import type { DatasetKeeper } from '../datasets/datasetKeeper.ts'
import { pollDataset } from '../datasets/pollDataset.ts'
import type { Report } from '../events.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import { observe } from '../look/observe.ts'
import type { Observer } from '../look/observer.ts'
import type { View } from '../look/view.ts'
import { type FeedPlan, type Known, planFeed } from '../plan/plan.ts'
import type { Outbox } from '../send/createOutbox.ts'
import { LATE, TransactionSlowError, withPatience } from '../send/patience.ts'
import { progressOf, sendBatch } from '../send/sendBatch.ts'
import { attestationsOf, pendingFeedIds } from '../state/attestPurpose.ts'
import { CommitteeDatasetError } from './joinCommittee.ts'
import { createPlanQueue, type OpenCycle, type PlanQueue } from './planQueue.ts'

/** A cycle of some feeds. Its promises never reject. */
export interface Cycle {
  /** Settles when all feeds but datasets were polled and their due values were handed to the outbox. */
  readonly polled: Promise<void>
  /** Settles when every feed has its outcome: its transaction executed, failed, or is slow. */
  readonly outcomes: Promise<readonly FeedOutcome[]>
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
  /** Maximum number of transactions of a feed in a cycle; the rest wait for the next cycle. Null for no limit. */
  readonly maxSteps: number | null
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly keeper: DatasetKeeper
  /** Whether datasets that have shrunk are attested. @default false */
  readonly acceptsShrunk?: boolean | undefined
}

/** Feeds read at once. The EIA client enforces the rate limit. */
const FEEDS_AT_ONCE = 8

const nothingKnown: Known = { row: null, result: null }

/** The cycles of an agent. Sending never delays polling. A failing feed affects only those that share its transaction. */
export interface Cycles {
  /** Starts a cycle: polls feeds and sends due values. Each feed has one outcome in it. */
  begin(feeds: readonly FeedConfig[]): Cycle
  /** Waits until no transaction is followed any more. */
  drain(): Promise<void>
}

export function createCycles(parts: CycleParts): Cycles {
  const { track, drain } = createUnderWay()
  let newestQueue: PlanQueue | null = null
  /** How many datasets are being read, or wait for that. */
  let datasetsRead = 0

  function begin(feeds: readonly FeedConfig[]): Cycle {
    const settled: FeedOutcome[] = []
    const { promise: outcomes, resolve } = Promise.withResolvers<readonly FeedOutcome[]>()
    const cycle: OpenCycle = {
      settle(outcome) {
        settled.push(outcome)
        if (settled.length === feeds.length) resolve(settled)
      },
    }
    if (feeds.length === 0) resolve([])
    const polled = track(pollAll(feeds, cycle)).catch((error) => failAll(feeds, asError(error), cycle))
    return { polled, outcomes }
  }

  /**
   * Polls feeds. Feeds with a transaction from an earlier run are polled when it is settled; the others do not wait. Nor does
   * anything wait for datasets, which take minutes to hours.
   */
  async function pollAll(feeds: readonly FeedConfig[], cycle: OpenCycle): Promise<void> {
    const queue = await openQueue()
    const { outbox } = queue
    const poll = async (some: readonly FeedConfig[]): Promise<void> => {
      for (const dataset of some.filter(isDataset)) void track(planRoot(dataset, queue, cycle))
      await planAll(some.filter(isSeries), queue, cycle)
    }
    const pendingIds = new Set(outbox.listPending().flatMap(pendingFeedIds))
    const resumed = withPatience(track(outbox.resume()), parts)
    const pending = feeds.filter(({ feed_id }) => pendingIds.has(feed_id))
    const planPending = () => poll(pending)
    void track(resumed.then(planPending, planPending))
    const free = feeds.filter((feed) => !pending.includes(feed))
    await poll(free)
  }

  /** Returns the queue of the current outbox. It is kept across cycles until the outbox changes. */
  async function openQueue(): Promise<PlanQueue> {
    const outbox = await parts.openOutbox()
    if (newestQueue?.outbox === outbox) return newestQueue
    const sender = patientOutbox(outbox, { parts, track })
    newestQueue = createPlanQueue(outbox, {
      wait: parts.wait,
      send(batch, cyclesOf) {
        void track(sendBatch(batch, sender, (outcome) => settle(outcome, cyclesOf(outcome.feedId))))
      },
    })
    return newestQueue
  }

  /** Plans feeds at one view of the chain, and sends what is due. */
  async function planAll(feeds: readonly SeriesConfig[], queue: PlanQueue, cycle: OpenCycle): Promise<void> {
    if (feeds.length === 0) return
    const view = await parts.openView().catch(asError)
    if (view instanceof Error) return failAll(feeds, view, cycle)
    await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
      take(await planOne(feed, queue.outbox, view, parts), queue, cycle)
    })
    queue.sendAll()
  }

  /** Plans a dataset's root when its snapshot is taken. While others are read, it waits a little to share a transaction. */
  async function planRoot(feed: DatasetConfig, queue: PlanQueue, cycle: OpenCycle): Promise<void> {
    datasetsRead += 1
    const plan = await planDatasetFeed(feed, queue.outbox, parts)
    datasetsRead -= 1
    take(plan, queue, cycle)
    if (datasetsRead === 0) queue.sendAll()
  }

  /** Settles a feed that has nothing to send, and queues the plan of any other. */
  function take(plan: FeedPlan, queue: PlanQueue, cycle: OpenCycle): void {
    const { feedId, about } = plan
    // The plan replaces one of an earlier cycle that still waits. Its outcome settles the feed in that cycle too.
    const cycles = [...queue.take(feedId), cycle]
    if (plan.error !== null) settle(failedOutcome(feedId, plan.error, about), cycles)
    else if (plan.steps.length === 0) settle(decidedOutcome(feedId, plan.about, progressOf(plan)), cycles)
    else queue.add(plan, cycles)
  }

  function failAll(feeds: readonly FeedConfig[], error: Error, cycle: OpenCycle): void {
    for (const { feed_id } of feeds) settle(failedOutcome(feed_id, error, nothingKnown), [cycle])
  }

  /** Reports the outcome of a feed, and gives it to the cycles that wait for it. */
  function settle(outcome: FeedOutcome, cycles: readonly OpenCycle[]): void {
    void parts.report({ event: 'outcome', outcome })
    for (const cycle of cycles) cycle.settle(outcome)
  }

  return { begin, drain }
}

/** Returns an outbox with the feeds' patience. A committee has its own. */
function patientOutbox(
  outbox: Outbox,
  { parts, track }: { parts: CycleParts; track: Track },
): Pick<Outbox, 'attest' | 'isTogether'> {
  if (outbox.isTogether) return outbox
  const { patienceMs, observer } = parts
  return {
    /** @throws {TransactionSlowError} when the transaction takes longer than `patienceMs`; it is still followed. */
    attest: async (attestations, basis) => {
      observer.stop.throwIfAborted()
      const sent = await withPatience(track(outbox.attest(attestations, basis)), parts)
      if (sent !== LATE) return sent
      const isOf = ({ feed_id }: { feed_id: string }) => attestations.some((each) => each.feed_id === feed_id)
      const pending = outbox.listPending().find(({ purpose }) => attestationsOf(purpose).some(isOf))
      throw new TransactionSlowError(pending ?? null, patienceMs ?? 0, observer.now())
    },
  }
}

type Track = <T>(work: Promise<T>) => Promise<T>

/** Keeps work that may finish after its caller has stopped waiting. `drain` waits for all of it. */
function createUnderWay() {
  const underWay = new Set<Promise<unknown>>()
  return {
    track<T>(work: Promise<T>): Promise<T> {
      underWay.add(work)
      const forget = () => void underWay.delete(work)
      work.then(forget, forget)
      return work
    },
    async drain(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}

/** Reads a feed on chain and at EIA, and plans what to attest. */
async function planOne(
  feed: SeriesConfig,
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

/** Takes a snapshot of a dataset, and plans what to attest. */
async function planDatasetFeed(feed: DatasetConfig, outbox: Outbox, parts: CycleParts): Promise<FeedPlan> {
  const { feed_id: feedId } = feed
  try {
    // A reloaded feeds file may bring one to a committee.
    if (outbox.isTogether) throw new CommitteeDatasetError({ feedIds: [feedId] })
    outbox.assertFree(feedId)
  } catch (error) {
    return { feedId, error: asError(error), about: nothingKnown }
  }
  return pollDataset(feed, parts)
}
