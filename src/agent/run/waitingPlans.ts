import type { FeedOutcome } from '../feedOutcome.ts'
import type { BatchOptions } from '../plan/attestCall.ts'
import { type Batch, batchPlans } from '../plan/batchPlans.ts'
import type { PlannedFeed } from '../plan/plan.ts'

export type Close = (outcome: FeedOutcome) => void

/** Plans that are not sent yet, by feed. */
export interface WaitingPlans {
  /** Adds a plan, or replaces the feed's earlier one, and sends every transaction that no further plan can join. */
  add(plan: PlannedFeed, close: Close): void
  /** Removes the plan of a feed. Returns the handlers of its cycles. */
  remove(feedId: string): readonly Close[]
  flush(): void
}

export interface WaitingPlansOptions {
  batch: BatchOptions
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called with plans to send. `handlersOf` returns the handlers of a feed's outcome. */
  send: (batch: Batch, handlersOf: (feedId: string) => readonly Close[]) => void
}

/** How long a value waits for others to share its transaction. */
const BATCH_WAIT_MS = 3_000

/** Creates an empty set. A plan is sent on a flush, or when its transaction is full or has waited long enough. */
export function createWaitingPlans({ batch: options, wait, send }: WaitingPlansOptions): WaitingPlans {
  const waiting = new Map<string, { plan: PlannedFeed; closes: readonly Close[] }>()
  let timer: AbortController | null = null

  function remove(feedId: string): readonly Close[] {
    const closes = waiting.get(feedId)?.closes ?? []
    waiting.delete(feedId)
    return closes
  }

  function stopTimer(): void {
    timer?.abort()
    timer = null
  }

  function startTimer(): void {
    timer = new AbortController()
    wait(BATCH_WAIT_MS, timer.signal).then(flush, () => {})
  }

  function sendSome(isDue: (batch: Batch) => boolean): void {
    const plans = [...waiting.values()].map(({ plan }) => plan)
    for (const batch of batchPlans(plans, options).filter(isDue)) {
      // The timer belongs to the first waiting value.
      stopTimer()
      const closes = new Map(batch.plans.map(({ feedId }) => [feedId, remove(feedId)]))
      send(batch, (feedId) => closes.get(feedId) ?? [])
    }
  }

  function flush(): void {
    sendSome(() => true)
  }

  return {
    remove,
    flush,
    add(plan, close) {
      waiting.set(plan.feedId, { plan, closes: [...remove(plan.feedId), close] })
      sendSome(({ isOpen }) => !isOpen)
      if (waiting.size > 0 && timer === null) startTimer()
    },
  }
}
