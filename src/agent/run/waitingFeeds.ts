import type { Report } from '../events.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import type { FeedPlan, PlannedFeed } from '../plan/plan.ts'
import { type Batch, batchPlans } from '../send/batchPlans.ts'
import type { Outbox } from '../send/createOutbox.ts'
import { LATE, TransactionSlowError, withPatience } from '../send/patience.ts'
import { progressOf, type Settle, sendBatch } from '../send/sendBatch.ts'
import { attestationsOf } from '../state/attestPurpose.ts'
import type { Attesting } from './openAgent.ts'

/** How feeds wait for their transactions. */
export interface WaitingOptions {
  /** How long a feed waits for its transaction, in milliseconds; null waits without a limit. */
  readonly patienceMs: number | null
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called with each feed's outcome as soon as it is known. Must not throw. */
  readonly report: Report
}

/** How long a value waits for others to share its transaction. */
const BATCH_WAIT_MS = 3_000

/**
 * The feeds that wait for their transactions. A plan waits a little for others to share its transaction, then the feed waits for
 * the transaction, but only for so long. A transaction that takes longer is still followed.
 */
export class WaitingFeeds {
  readonly #options: WaitingOptions
  /** The plans that are not sent yet, by feed, and the cycles that wait for their outcomes. */
  readonly #plans = new Map<string, { readonly plan: PlannedFeed; readonly cycles: readonly Settle[] }>()
  /** Ends the wait of the first plan. */
  #timer: AbortController | null = null
  /** Work that may finish after those who began it have stopped waiting. */
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(options: WaitingOptions) {
    this.#options = options
  }

  /**
   * Takes a feed's plan for a cycle, and settles a feed with nothing to send. Sends the transactions that no further plan can join,
   * and the others some time after the first of them was added.
   *
   * The plan replaces one of an earlier cycle that is not sent yet. Its outcome settles the feed in that cycle, too.
   */
  add(plan: FeedPlan, cycle: Settle, attesting: Attesting): void {
    const { feedId, about } = plan
    const cycles = [...this.#remove(feedId), cycle]
    if (plan.error !== null) this.settle(failedOutcome(feedId, plan.error, about), cycles)
    else if (plan.steps.length === 0)
      this.settle(decidedOutcome(feedId, plan.about, progressOf(plan)), cycles)
    else {
      this.#plans.set(feedId, { plan, cycles })
      this.#send(attesting, ({ isOpen }) => !isOpen)
      if (this.#plans.size > 0 && this.#timer === null) this.#startTimer(attesting)
    }
  }

  /** Sends all plans. */
  sendAll(attesting: Attesting): void {
    this.#send(attesting, () => true)
  }

  /** Follows the transactions of earlier runs. Returns when they are settled, or take longer than a feed waits. */
  resume(outbox: Outbox): Promise<unknown> {
    return withPatience(this.follow(outbox.resume()), this.#options)
  }

  /** Reports the outcome of a feed, and gives it to the cycles that wait for it. */
  settle(outcome: FeedOutcome, cycles: readonly Settle[]): void {
    void this.#options.report({ event: 'outcome', outcome })
    for (const settle of cycles) settle(outcome)
  }

  /** Keeps work until it ends, for {@link WaitingFeeds.drain}. Returns it. */
  follow<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    const forget = () => void this.#underWay.delete(work)
    work.then(forget, forget)
    return work
  }

  /** Waits until nothing is followed any more. */
  async drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }

  #remove(feedId: string): readonly Settle[] {
    const cycles = this.#plans.get(feedId)?.cycles ?? []
    this.#plans.delete(feedId)
    return cycles
  }

  #startTimer(attesting: Attesting): void {
    this.#timer = new AbortController()
    // The wait is aborted when the plans are sent.
    this.#options.wait(BATCH_WAIT_MS, this.#timer.signal).then(
      () => this.sendAll(attesting),
      () => {},
    )
  }

  #send(attesting: Attesting, isDue: (batch: Batch) => boolean): void {
    const plans = [...this.#plans.values()].map(({ plan }) => plan)
    for (const batch of batchPlans(plans, attesting.outbox).filter(isDue)) {
      // The timer belongs to the first waiting plan.
      this.#timer?.abort()
      this.#timer = null
      const cycles = new Map(batch.plans.map(({ feedId }) => [feedId, this.#remove(feedId)]))
      const settle: Settle = (outcome) => this.settle(outcome, cycles.get(outcome.feedId) ?? [])
      void this.follow(sendBatch(batch, this.#patient(attesting), settle))
    }
  }

  /** Returns an outbox with the feeds' patience. A committee has its own. */
  #patient({ outbox, settings }: Attesting): Pick<Outbox, 'attest' | 'isTogether'> {
    if (outbox.isTogether) return outbox
    const { patienceMs } = this.#options
    return {
      /** @throws {TransactionSlowError} when the transaction takes longer than `patienceMs`; it is still followed. */
      attest: async (attestations, basis) => {
        settings.stop.throwIfAborted()
        const sent = await withPatience(this.follow(outbox.attest(attestations, basis)), this.#options)
        if (sent !== LATE) return sent
        const isOf = ({ feed_id }: { feed_id: string }) =>
          attestations.some((each) => each.feed_id === feed_id)
        const pending = outbox.listPending().find(({ purpose }) => attestationsOf(purpose).some(isOf))
        throw new TransactionSlowError(pending ?? null, patienceMs ?? 0, settings.now())
      },
    }
  }
}
