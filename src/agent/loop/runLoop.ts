import { isDeepStrictEqual } from 'node:util'
import type { Calendar } from '../../eia/calendar.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { awaitedCalendar, FIRST_LOOK_MS, type Pace, SELDOM_MS, soonMs } from '../intervals.ts'

/** When each feed is due. All times are milliseconds of a clock that nobody sets. */
export interface Schedule {
  /** Replaces the feeds: what is new or changed is due at once, the others stay as they are. */
  setFeeds(feeds: readonly FeedConfig[]): void
  /** Returns when the next feed is due: at once, where this machine's clock was set. */
  nextAt(): number
  /** Returns the feeds that are due, in the order of the configuration. */
  takeDue(now: number): FeedConfig[]
  /** Records what was found of a feed, for it to be looked at soon again while a release has not brought it yet. */
  found(outcome: Pick<FeedOutcome, 'feedId' | 'period' | 'decision'>, now: number): void
  /** Records success: the feed is due again with the others of its release or frequency. */
  succeeded(feedId: string): void
  /** Records that a feed is not done: it is due again at once. */
  unfinished(feedId: string, now: number): void
  /** Records a failure: the feed is due again after a back-off that doubles each time. */
  failed(feedId: string, now: number): void
}

export interface ScheduleOptions extends Pace {
  feeds: readonly FeedConfig[]
  /** From 0 (included) to 1 (excluded). */
  random: () => number
  /** How far this machine's clock is ahead of the schedule's, in milliseconds: releases are by that one. @default 0 */
  aheadMs?: () => number
}

/** A clock that is set by more than this makes all feeds due: what was decided and planned by it may be wrong. */
const CLOCK_SET_MS = 30_000

const FIRST_BACK_OFF_MS = 30_000
/** The most by which an interval is shortened or lengthened, as a fraction. */
const JITTER = 0.1

interface State {
  feed: FeedConfig
  /** The releases that it waits for; null where its frequency's interval counts. */
  calendar: Calendar | null
  dueAt: number
  failures: number
  /** The newest period that EIA gave a value for, as an integer. */
  period: number | null
  /** When a value was last attested, by this machine's clock. */
  writtenAt: number
}

/**
 * Creates a schedule in which every feed is due at once. From then on those with a known release are due right after it,
 * soon again while it has not brought their period, and else seldom; the others in the interval of their frequency. Feeds
 * of a release or a frequency are due together, to share transactions; one that fails is due on its own until it succeeds.
 */
export function createSchedule({
  feeds,
  intervals,
  fixedFrequencies,
  random,
  aheadMs = () => 0,
}: ScheduleOptions): Schedule {
  const newState = (feed: FeedConfig): State => ({
    feed,
    calendar: awaitedCalendar(feed, fixedFrequencies),
    dueAt: Number.NEGATIVE_INFINITY,
    failures: 0,
    period: null,
    writtenAt: Number.NEGATIVE_INFINITY,
  })
  let states = feeds.map(newState)
  /** When the feeds of a tick are due next. */
  const ticks = new Map<string, number>()
  let takenAt = Number.NEGATIVE_INFINITY
  /** As of the last time that due feeds were taken. */
  let ahead = aheadMs()

  const isClockSet = (): boolean => Math.abs(aheadMs() - ahead) > CLOCK_SET_MS

  function makeAllDue(): void {
    ticks.clear()
    for (const state of states) state.dueAt = Number.NEGATIVE_INFINITY
  }

  const jittered = (durationMs: number): number => durationMs * (1 + JITTER * (2 * random() - 1))

  function tickOf(name: string): number {
    return ticks.get(name) ?? Number.NEGATIVE_INFINITY
  }

  function moveTicks(now: number): void {
    const groups = Map.groupBy(states, tickName)
    for (const [name, [first, ...others]] of groups)
      if (first !== undefined && tickOf(name) <= now) ticks.set(name, nextTick(first, 1 + others.length, now))
  }

  function tickName(state: State): string {
    const { calendar, feed } = state
    if (calendar === null) return feed.frequency
    return `${calendar.rule.rule} ${lacksPeriod(state) ? 'missing' : 'there'}`
  }

  /** Whether a release should have brought more than was found, as of the last look. */
  function lacksPeriod({ calendar, period, writtenAt }: State): boolean {
    if (calendar === null || period === null) return false
    const clockMs = takenAt + ahead
    const { dueAt, expectedPeriod } = calendar.dueAt(clockMs)
    // A forecast's period says nothing: it may be unchanged, so that it is not waited for longer than usual.
    if (calendar.rule.isForecast) return writtenAt < dueAt && clockMs < dueAt + calendar.graceMs
    return period < expectedPeriod
  }

  function nextTick(state: State, feedCount: number, now: number): number {
    const { calendar, feed } = state
    if (calendar === null) return now + jittered(intervals[feed.frequency])
    const { dueAt, nextDueAt } = calendar.dueAt(now + ahead)
    const whileMissing =
      now + ahead < dueAt + calendar.graceMs ? soonMs(feedCount) : intervals[feed.frequency]
    const afterRelease = nextDueAt - ahead + FIRST_LOOK_MS * (1 + random())
    return Math.min(now + jittered(lacksPeriod(state) ? whileMissing : SELDOM_MS), afterRelease)
  }

  const stateOf = (feedId: string) => states.find(({ feed }) => feed.feed_id === feedId)

  return {
    setFeeds(changed) {
      states = changed.map((feed) => {
        const state = stateOf(feed.feed_id)
        return state && isDeepStrictEqual(state.feed, feed) ? state : newState(feed)
      })
    },
    nextAt: () => (isClockSet() ? Number.NEGATIVE_INFINITY : Math.min(...states.map(({ dueAt }) => dueAt))),
    takeDue(now) {
      if (isClockSet()) makeAllDue()
      ahead = aheadMs()
      const due = states.filter(({ dueAt }) => dueAt <= now).map(({ feed }) => feed)
      takenAt = now
      moveTicks(now)
      return due
    },
    found({ feedId, period, decision }, now) {
      const state = stateOf(feedId)
      if (!state) return
      if (decision !== 'withheld') state.period = period
      if (decision === 'new-period' || decision === 'revision') state.writtenAt = now + ahead
    },
    succeeded(feedId) {
      const state = stateOf(feedId)
      if (!state) return
      // What was found may have moved it to another tick.
      if (tickOf(tickName(state)) <= takenAt) moveTicks(takenAt)
      Object.assign(state, { failures: 0, dueAt: tickOf(tickName(state)) })
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
  /** The schedule's clock, in milliseconds. */
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
    for (const outcome of due.length === 0 ? [] : await cycle(due)) {
      const { feedId, error, missing } = outcome
      if (error === null) schedule.found(outcome, now())
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
