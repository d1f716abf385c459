import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { Frequency, Intervals } from '../intervals.ts'

/** When each feed is due. All times are epoch milliseconds. */
export interface Schedule {
  /** Returns when the next feed is due. */
  nextAt(): number
  /** Returns the feeds that are due, in the order of the configuration. */
  takeDue(now: number): FeedConfig[]
  /** Records success: the feed is due again with the others of its frequency. */
  succeeded(feedId: string): void
  /** Records that a feed is not done: it is due again at once. */
  unfinished(feedId: string, now: number): void
  /** Records a failure: the feed is due again after a back-off that doubles each time. */
  failed(feedId: string, now: number): void
}

export interface ScheduleOptions {
  feeds: readonly FeedConfig[]
  intervals: Intervals
  /** From 0 (included) to 1 (excluded). */
  random: () => number
}

const FIRST_BACK_OFF_MS = 30_000
/** The most by which an interval is shortened or lengthened, as a fraction. */
const JITTER = 0.1

interface State {
  feed: FeedConfig
  dueAt: number
  failures: number
}

/**
 * Creates a schedule in which every feed is due at once. From then on the feeds of a frequency are due together, to
 * share transactions; one that fails is due on its own until it succeeds.
 */
export function createSchedule({ feeds, intervals, random }: ScheduleOptions): Schedule {
  const states = feeds.map((feed): State => ({ feed, dueAt: Number.NEGATIVE_INFINITY, failures: 0 }))
  const byId = new Map(states.map((state) => [state.feed.feed_id, state]))
  /** When the feeds of a frequency are due next. */
  const ticks = new Map<Frequency, number>()

  const jittered = (durationMs: number): number => durationMs * (1 + JITTER * (2 * random() - 1))

  function tickOf(frequency: Frequency): number {
    return ticks.get(frequency) ?? Number.NEGATIVE_INFINITY
  }

  function moveTicks(now: number): void {
    for (const frequency of new Set(feeds.map((feed) => feed.frequency)))
      if (tickOf(frequency) <= now) ticks.set(frequency, now + jittered(intervals[frequency]))
  }

  return {
    nextAt: () => Math.min(...states.map(({ dueAt }) => dueAt)),
    takeDue(now) {
      const due = states.filter(({ dueAt }) => dueAt <= now).map(({ feed }) => feed)
      moveTicks(now)
      return due
    },
    succeeded(feedId) {
      const state = byId.get(feedId)
      if (state) Object.assign(state, { failures: 0, dueAt: tickOf(state.feed.frequency) })
    },
    unfinished(feedId, now) {
      const state = byId.get(feedId)
      if (state) Object.assign(state, { failures: 0, dueAt: now })
    },
    failed(feedId, now) {
      const state = byId.get(feedId)
      if (!state) return
      const longest = intervals[state.feed.frequency]
      state.dueAt = now + jittered(Math.min(longest, FIRST_BACK_OFF_MS * 2 ** state.failures))
      state.failures += 1
    },
  }
}

export interface LoopOptions {
  schedule: Schedule
  /** Takes the due feeds through one cycle; never throws. */
  cycle: (due: readonly FeedConfig[]) => Promise<readonly FeedOutcome[]>
  /** Epoch milliseconds. */
  now: () => number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Aborted to end the loop. */
  stop: AbortSignal
}

/** Runs one cycle after another, each when the next feed is due, until it is stopped. Cycles never overlap. */
export async function runLoop({ schedule, cycle, now, wait, stop }: LoopOptions): Promise<void> {
  while (!stop.aborted) {
    const due = schedule.takeDue(now())
    // A timer may be early.
    for (const { feedId, error, missing } of due.length === 0 ? [] : await cycle(due)) {
      if (error !== null) schedule.failed(feedId, now())
      else if (missing > 0) schedule.unfinished(feedId, now())
      else schedule.succeeded(feedId)
    }
    await waitUntil(schedule.nextAt(), { now, wait, stop })
  }
}

/** Waits; a stop ends the wait too. */
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
