import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import type { AgentEvent } from '../events.ts'
import type { Schedule } from './schedule.ts'

/** Changes the feeds of a loop while it runs. */
export interface Reload {
  /** Returns a signal that is aborted by the next request for a reload, such as SIGHUP. */
  nextAsked(): AbortSignal
  /** How often to look for changes, in milliseconds. */
  pollMs: number
  /**
   * Returns the new feeds; null if they have not changed. Never throws.
   *
   * @param isAsked whether a reload was requested
   */
  readChanges(isAsked: boolean): Promise<readonly FeedConfig[] | null>
}

export interface LoopOptions {
  schedule: Schedule
  /** Starts a cycle of the due feeds and returns when all were polled. Never throws. */
  cycle: (due: readonly FeedConfig[]) => Promise<void>
  /** Passes all later events to a listener. Those of a cycle, such as the outcome of each feed, may come before or after it returns. */
  subscribe: (listener: (event: AgentEvent) => void) => void
  /** @default the feeds never change */
  reload?: Reload
  /** The schedule's clock, in milliseconds. */
  now: () => number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  stop: AbortSignal
}

/**
 * Runs a cycle whenever a feed is due, until it is stopped. Only one cycle polls feeds at a time, while earlier cycles may
 * still wait for their transactions. The feeds change only between two cycles.
 */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { schedule, cycle, subscribe, reload, now, wait, stop } = options
  let asked = reload?.nextAsked() ?? stop
  let rescheduled = new AbortController()
  subscribe((event) => {
    if (event.event === 'outcome') schedule.settle(event.outcome, now())
    else if (event.event === 'dataset_behind') schedule.hurry(event.feedId)
    else if (event.event === 'snapshot_adopted') schedule.unsettle(event.feedId, now())
    else return
    rescheduled.abort()
  })
  while (!stop.aborted) {
    const isAsked = asked.aborted
    // Renewed before the reload, so that a request during the reload is not lost.
    asked = reload?.nextAsked() ?? stop
    const changed = (await reload?.readChanges(isAsked)) ?? null
    if (changed !== null) schedule.setFeeds(changed)
    const due = schedule.takeDue(now())
    // A timer may fire early, when no feed is due yet.
    if (due.length > 0) await cycle(due)
    rescheduled = new AbortController()
    const pollAt = now() + (reload?.pollMs ?? Number.POSITIVE_INFINITY)
    const until = Math.min(schedule.nextAt(), pollAt)
    await waitUntil(until, { now, wait, ends: [stop, asked, rescheduled.signal] })
  }
}

async function waitUntil(
  time: number,
  { now, wait, ends }: Pick<LoopOptions, 'now' | 'wait'> & { ends: readonly AbortSignal[] },
): Promise<void> {
  // AbortSignal.any would add a dependent signal every few seconds to `stop`, which lives as long as the agent.
  const controller = new AbortController()
  const end = () => controller.abort()
  for (const signal of ends) {
    if (signal.aborted) end()
    signal.addEventListener('abort', end)
  }
  try {
    await wait(Math.max(0, time - now()), controller.signal)
  } catch (error) {
    if (!controller.signal.aborted) throw error
  } finally {
    for (const signal of ends) signal.removeEventListener('abort', end)
  }
}
