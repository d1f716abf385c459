import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { Schedule } from './schedule.ts'

export interface LoopOptions {
  schedule: Schedule
  /** Takes the due feeds through one cycle; never throws. */
  cycle: (due: readonly FeedConfig[]) => Promise<readonly FeedOutcome[]>
  /** Epoch milliseconds. */
  now: () => number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Aborted when the loop is to end. */
  stop: AbortSignal
}

/** Runs one cycle after another, each when the next feed is due, until it is stopped. Cycles never overlap. */
export async function runLoop({ schedule, cycle, now, wait, stop }: LoopOptions): Promise<void> {
  while (!stop.aborted) {
    const due = schedule.takeDue(now())
    // A timer may be early.
    for (const { feedId, error } of due.length === 0 ? [] : await cycle(due)) {
      if (error === null) schedule.succeeded(feedId)
      else schedule.failed(feedId, now())
    }
    await waitUntil(schedule.nextAt(), { now, wait, stop })
  }
}

/** A stop ends the wait too. */
async function waitUntil(
  time: number,
  { now, wait, stop }: Pick<LoopOptions, 'now' | 'wait' | 'stop'>,
): Promise<void> {
  try {
    await wait(Math.max(0, time - now()), stop)
  } catch (error) {
    if (!stop.aborted) throw error
  }
}
