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
import { type DatasetPoll, pollDataset } from '../datasets/pollDataset.ts'
import { type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import { observe } from '../look/observe.ts'
import type { View } from '../look/view.ts'
import { type FeedPlan, NOTHING_KNOWN, planFeed, type RefusedFeed, refusedFeed } from '../plan/plan.ts'
import type { Outbox } from '../send/createOutbox.ts'
import type { Settle } from '../send/sendBatch.ts'
import { pendingFeedIds } from '../state/attestPurpose.ts'
import type { Attesting } from './openAgent.ts'
import { WaitingFeeds, type WaitingOptions } from './waitingFeeds.ts'

/** A cycle of some feeds. Its promises never reject. */
export interface Cycle {
  /** Settles when all feeds but datasets were polled and their due values were handed to the outbox. */
  readonly polled: Promise<void>
  /** Settles when every feed has its outcome: its transaction executed, failed, or is slow. */
  readonly outcomes: Promise<readonly FeedOutcome[]>
}

/** What the cycles of an agent work with. */
export interface CycleParts extends WaitingOptions {
  readonly openAttesting: () => Promise<Attesting>
  readonly openView: () => Promise<View>
  /** Maximum number of transactions of a feed in a cycle; the rest wait for the next cycle. Null for no limit. */
  readonly maxSteps: number | null
  readonly keeper: DatasetKeeper
  /** Whether datasets that have shrunk are attested. @default false */
  readonly acceptsShrunk?: boolean | undefined
}

/** Feeds read at once. The EIA client enforces the rate limit. */
const FEEDS_AT_ONCE = 8

/** The cycles of an agent. Sending never delays polling. A failing feed affects only those that share its transaction. */
export class Cycles {
  readonly #parts: CycleParts
  readonly #waiting: WaitingFeeds
  /** How many datasets are being read, or wait for that. */
  #datasetsRead = 0

  constructor(parts: CycleParts) {
    this.#parts = parts
    this.#waiting = new WaitingFeeds(parts)
  }

  /** Starts a cycle: polls feeds and sends due values. Each feed has one outcome in it. */
  begin(feeds: readonly FeedConfig[]): Cycle {
    const settled: FeedOutcome[] = []
    const { promise: outcomes, resolve } = Promise.withResolvers<readonly FeedOutcome[]>()
    const settle: Settle = (outcome) => {
      settled.push(outcome)
      if (settled.length === feeds.length) resolve(settled)
    }
    if (feeds.length === 0) resolve([])
    const polled = this.#waiting
      .follow(this.#begin(feeds, settle))
      .catch((error) => this.#failAll(feeds, asError(error), settle))
    return { polled, outcomes }
  }

  /** Waits until no transaction is followed any more. */
  drain(): Promise<void> {
    return this.#waiting.drain()
  }

  /** Polls feeds. Feeds with a transaction from an earlier run are polled when it is settled; the others do not wait. */
  async #begin(feeds: readonly FeedConfig[], settle: Settle): Promise<void> {
    const attesting = await this.#parts.openAttesting()
    const { outbox } = attesting
    const pendingIds = new Set(outbox.listPending().flatMap(pendingFeedIds))
    const resumed = this.#waiting.resume(outbox)
    const pending = feeds.filter(({ feed_id }) => pendingIds.has(feed_id))
    const pollPending = () => this.#poll(pending, attesting, settle)
    void this.#waiting.follow(resumed.then(pollPending, pollPending))
    const free = feeds.filter((feed) => !pending.includes(feed))
    await this.#poll(free, attesting, settle)
  }

  /** Nothing waits for datasets, which take minutes to hours. */
  async #poll(feeds: readonly FeedConfig[], attesting: Attesting, settle: Settle): Promise<void> {
    for (const dataset of feeds.filter(isDataset))
      void this.#waiting.follow(this.#pollDataset(dataset, attesting, settle))
    await this.#pollSeries(feeds.filter(isSeries), attesting, settle)
  }

  /** Plans feeds at one view of the chain, and sends what is due. */
  async #pollSeries(feeds: readonly SeriesConfig[], attesting: Attesting, settle: Settle): Promise<void> {
    if (feeds.length === 0) return
    const { openView, maxSteps } = this.#parts
    const view = await openView().catch(asError)
    if (view instanceof Error) return this.#failAll(feeds, view, settle)
    await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
      this.#waiting.add(await planSeries(feed, view, attesting, maxSteps), settle, attesting)
    })
    this.#waiting.sendAll(attesting)
  }

  /** Plans a dataset's root when its snapshot is taken. While others are read, it waits a little to share a transaction. */
  async #pollDataset(feed: DatasetConfig, attesting: Attesting, settle: Settle): Promise<void> {
    const { outbox, settings } = attesting
    const { openView, keeper, acceptsShrunk } = this.#parts
    this.#datasetsRead += 1
    const plan = await planDataset(feed, outbox, { settings, openView, keeper, acceptsShrunk })
    this.#datasetsRead -= 1
    this.#waiting.add(plan, settle, attesting)
    if (this.#datasetsRead === 0) this.#waiting.sendAll(attesting)
  }

  #failAll(feeds: readonly FeedConfig[], error: Error, settle: Settle): void {
    for (const { feed_id } of feeds)
      this.#waiting.settle(failedOutcome(feed_id, error, NOTHING_KNOWN), [settle])
  }
}

/** Reads a feed on chain and at EIA, and plans what to attest. */
async function planSeries(
  feed: SeriesConfig,
  view: View,
  { outbox, settings }: Attesting,
  maxSteps: number | null,
): Promise<FeedPlan> {
  const refused = refusalOf(feed, outbox)
  if (refused !== null) return refused
  const { offersMany, paymentMotes, isTogether } = outbox
  const { chainName, accountHash } = settings
  const seen = await observe(feed, view, settings)
  const steps = isTogether ? 1 : maxSteps
  return planFeed(feed, seen, { chainName, accountHash, offersMany, paymentMotes, maxSteps: steps })
}

/** Takes a snapshot of a dataset, and plans what to attest. */
async function planDataset(feed: DatasetConfig, outbox: Outbox, poll: DatasetPoll): Promise<FeedPlan> {
  return refusalOf(feed, outbox) ?? pollDataset(feed, poll)
}

/** Returns why nothing can be attested to a feed now; null if it can. */
function refusalOf(feed: FeedConfig, outbox: Outbox): RefusedFeed | null {
  try {
    outbox.assertFree(feed)
    return null
  } catch (error) {
    return refusedFeed(feed.feed_id, error)
  }
}
