import { isDeepStrictEqual } from 'node:util'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { Frequency, Intervals } from '../intervals.ts'

/** When each feed is due. All times are epoch milliseconds. */
export interface Schedule {
  /** Replaces the feeds: what is new or changed is due at once, the others stay as they are. */
  setFeeds(feeds: readonly FeedConfig[]): void
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
  const newState = (feed: FeedConfig): State => ({ feed, dueAt: Number.NEGATIVE_INFINITY, failures: 0 })
  let states = feeds.map(newState)
  /** When the feeds of a frequency are due next. */
  const ticks = new Map<Frequency, number>()

  const jittered = (durationMs: number): number => durationMs * (1 + JITTER * (2 * random() - 1))

  function tickOf(frequency: Frequency): number {
    return ticks.get(frequency) ?? Number.NEGATIVE_INFINITY
  }

  function moveTicks(now: number): void {
    for (const frequency of new Set(states.map(({ feed }) => feed.frequency)))
      if (tickOf(frequency) <= now) ticks.set(frequency, now + jittered(intervals[frequency]))
  }

  const stateOf = (feedId: string) => states.find(({ feed }) => feed.feed_id === feedId)

  return {
    setFeeds(changed) {
      states = changed.map((feed) => {
        const state = stateOf(feed.feed_id)
        return state && isDeepStrictEqual(state.feed, feed) ? state : newState(feed)
      })
    },
    nextAt: () => Math.min(...states.map(({ dueAt }) => dueAt)),
    takeDue(now) {
      const due = states.filter(({ dueAt }) => dueAt <= now).map(({ feed }) => feed)
      moveTicks(now)
      return due
    },
    succeeded(feedId) {
      const state = stateOf(feedId)
      if (state) Object.assign(state, { failures: 0, dueAt: tickOf(state.feed.frequency) })
    },
    unfinished(feedId, now) {
      const state = stateOf(feedId)
      if (state) Object.assign(state, { failures: 0, dueAt: now })
    },
    failed(feedId, now) {
      const state = stateOf(feedId)
      if (!state) return
      const longest = intervals[state.feed.frequency]
      state.dueAt = now + jittered(Math.min(longest, FIRST_BACK_OFF_MS * 2 ** state.failures))
      state.failures += 1
    },
  }
}

/** What changes the feeds of a loop while it runs. */
export interface Reload {
  /** Returns a signal that is aborted when the feeds are next asked for, as by SIGHUP. */
  nextAsked(): AbortSignal
  /** How often to look for changes, in milliseconds. */
  pollMs: number
  /** Looks for changes; returns the feeds to go on with, or null if they stay. Never throws. */
  look(isAsked: boolean): Promise<readonly FeedConfig[] | null>
}

export interface LoopOptions {
  schedule: Schedule
  /** Takes the due feeds through one cycle; never throws. */
  cycle: (due: readonly FeedConfig[]) => Promise<readonly FeedOutcome[]>
  /** @default the feeds stay */
  reload?: Reload
  /** Epoch milliseconds. */
  now: () => number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Aborted to end the loop. */
  stop: AbortSignal
}

/**
 * Runs one cycle after another, each when the next feed is due, until it is stopped. Cycles never overlap, and the feeds
 * change only between two of them.
 */
export async function runLoop({ schedule, cycle, reload, now, wait, stop }: LoopOptions): Promise<void> {
  let asked = reload?.nextAsked() ?? stop
  while (!stop.aborted) {
    const isAsked = asked.aborted
    // Taken before the look: what is asked for meanwhile is not lost.
    asked = reload?.nextAsked() ?? stop
    const changed = (await reload?.look(isAsked)) ?? null
    if (changed !== null) schedule.setFeeds(changed)
    const due = schedule.takeDue(now())
    // A timer may be early.
    for (const { feedId, error, missing } of due.length === 0 ? [] : await cycle(due)) {
      if (error !== null) schedule.failed(feedId, now())
      else if (missing > 0) schedule.unfinished(feedId, now())
      else schedule.succeeded(feedId)
    }
    const lookAt = now() + (reload?.pollMs ?? Number.POSITIVE_INFINITY)
    await waitUntil(Math.min(schedule.nextAt(), lookAt), { now, wait, ends: [stop, asked] })
  }
}

/** Waits; each of the signals ends the wait too. */
async function waitUntil(
  time: number,
  { now, wait, ends }: Pick<LoopOptions, 'now' | 'wait'> & { ends: readonly AbortSignal[] },
): Promise<void> {
  // Not AbortSignal.any: one that depends on a signal that lives for a year, every few seconds.
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
