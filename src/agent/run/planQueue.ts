import type { FeedOutcome } from '../feedOutcome.ts'
import type { PlannedFeed } from '../plan/plan.ts'
import { type Batch, batchPlans } from '../send/batchPlans.ts'
import type { Outbox } from '../send/createOutbox.ts'

/** A cycle that waits for outcomes of its feeds. */
export interface OpenCycle {
  readonly settle: (outcome: FeedOutcome) => void
}

/** The plans that wait to be sent through an outbox. */
export interface PlanQueue {
  readonly outbox: Outbox
  /**
   * Adds the plan of a feed that has none in the queue. Sends the transactions that no further plan can join, and the others some
   * time after the first of them was added.
   *
   * @param cycles - those that wait for the outcome
   */
  add(plan: PlannedFeed, cycles: readonly OpenCycle[]): void
  /** Removes the plan of a feed, if there is one. Returns the cycles that wait for its outcome. */
  take(feedId: string): readonly OpenCycle[]
  /** Sends all plans. */
  sendAll(): void
}

interface QueueParts {
  /** Must not throw. */
  readonly send: (batch: Batch, cyclesOf: (feedId: string) => readonly OpenCycle[]) => void
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How long a value waits for others to share its transaction. */
const BATCH_WAIT_MS = 3_000

export function createPlanQueue(outbox: Outbox, { send, wait }: QueueParts): PlanQueue {
  /** By feed. */
  const waiting = new Map<string, { readonly plan: PlannedFeed; readonly cycles: readonly OpenCycle[] }>()
  /** Ends the wait of the first plan. */
  let timer: AbortController | null = null

  function take(feedId: string): readonly OpenCycle[] {
    const cycles = waiting.get(feedId)?.cycles ?? []
    waiting.delete(feedId)
    return cycles
  }

  function startTimer(): void {
    timer = new AbortController()
    // The wait is aborted when the plans are sent.
    wait(BATCH_WAIT_MS, timer.signal).then(sendAll, () => {})
  }

  function sendBatches(isDue: (batch: Batch) => boolean): void {
    const plans = [...waiting.values()].map(({ plan }) => plan)
    for (const batch of batchPlans(plans, outbox).filter(isDue)) {
      // The timer belongs to the first waiting plan.
      timer?.abort()
      timer = null
      const cycles = new Map(batch.plans.map(({ feedId }) => [feedId, take(feedId)]))
      send(batch, (feedId) => cycles.get(feedId) ?? [])
    }
  }

  const sendAll = (): void => sendBatches(() => true)

  return {
    outbox,
    add(plan, cycles) {
      waiting.set(plan.feedId, { plan, cycles })
      sendBatches(({ isOpen }) => !isOpen)
      if (waiting.size > 0 && timer === null) startTimer()
    },
    take,
    sendAll,
  }
}
