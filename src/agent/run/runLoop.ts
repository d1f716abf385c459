import { isDeepStrictEqual } from 'node:util'
import type { Calendar } from '../../eia/calendar.ts'
import type { DecidedFeed, FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { awaitedCalendar, FIRST_LOOK_MS, type Pace, SELDOM_MS, soonMs } from '../intervals.ts'

/** When each feed is due. All times are milliseconds of a clock that nobody sets. */
export interface Schedule {
  /** Replaces the feeds: what is new or changed is due at once, the others stay as they are. */
  setFeeds(feeds: readonly FeedConfig[]): void
  /** Returns when the next feed is due: at once, where this machine's clock was set. */
  nextAt(): number
  /** Returns the feeds that are due, in the order of the configuration: none of them is due again until it is settled. */
  takeDue(now: number): FeedConfig[]
  /**
   * Records the outcome of a feed that was taken. After a success it is due again with the others of its release or
   * frequency, soon if a release has not brought its period yet; after a failure, with a back-off that doubles each time;
   * with periods that are still missing, at once.
   */
  settled(outcome: FeedOutcome, now: number): void
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
  /** Whether it was taken and is not settled. */
  isTaken: boolean
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
    isTaken: false,
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

  function fail(state: State, now: number): void {
    const longest = intervals[state.feed.frequency]
    state.dueAt = now + jittered(Math.min(longest, FIRST_BACK_OFF_MS * 2 ** state.failures))
    state.failures += 1
  }

  function find(state: State, { decision, result }: DecidedFeed, now: number): void {
    if (decision !== 'withheld') state.period = result.period
    if (decision === 'new-period' || decision === 'revision') state.writtenAt = now + ahead
  }

  function dueWithOthers(state: State): number {
    // What was found may have moved it to another tick.
    if (tickOf(tickName(state)) <= takenAt) moveTicks(takenAt)
    return tickOf(tickName(state))
  }

  const stateOf = (feedId: string) => states.find(({ feed }) => feed.feed_id === feedId)

  return {
    setFeeds(changed) {
      states = changed.map((feed) => {
        const state = stateOf(feed.feed_id)
        return state && isDeepStrictEqual(state.feed, feed) ? state : newState(feed)
      })
    },
    nextAt: () =>
      Math.min(
        ...states
          .filter(({ isTaken }) => !isTaken)
          .map(({ dueAt }) => (isClockSet() ? Number.NEGATIVE_INFINITY : dueAt)),
      ),
    takeDue(now) {
      if (isClockSet()) makeAllDue()
      ahead = aheadMs()
      const due = states.filter(({ isTaken, dueAt }) => !isTaken && dueAt <= now)
      for (const state of due) state.isTaken = true
      takenAt = now
      moveTicks(now)
      return due.map(({ feed }) => feed)
    },
    settled(outcome, now) {
      const state = stateOf(outcome.feedId)
      if (!state) return
      state.isTaken = false
      if (outcome.error !== null) return fail(state, now)
      find(state, outcome, now)
      state.failures = 0
      if (outcome.missing > 0) state.dueAt = now
      else state.dueAt = dueWithOthers(state)
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
  /**
   * Begins a cycle of the due feeds, and returns when they were looked at. Calls `report` with the outcome of each, then or
   * later. Never throws.
   */
  cycle: (due: readonly FeedConfig[], report: (outcome: FeedOutcome) => void) => Promise<void>
  /** @default the feeds stay */
  reload?: Reload
  /** The schedule's clock, in milliseconds. */
  now: () => number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Aborted to end the loop. */
  stop: AbortSignal
}

/**
 * Begins one cycle after another, each when the next feed is due, until it is stopped. One cycle looks at feeds at a time,
 * while earlier ones may still wait for their transactions; the feeds change only between two looks.
 */
export async function runLoop({ schedule, cycle, reload, now, wait, stop }: LoopOptions): Promise<void> {
  let asked = reload?.nextAsked() ?? stop
  let settled = new AbortController()
  const report = (outcome: FeedOutcome) => {
    schedule.settled(outcome, now())
    settled.abort()
  }
  while (!stop.aborted) {
    const isAsked = asked.aborted
    // Taken before the look: what is asked for meanwhile is not lost.
    asked = reload?.nextAsked() ?? stop
    const changed = (await reload?.look(isAsked)) ?? null
    if (changed !== null) schedule.setFeeds(changed)
    const due = schedule.takeDue(now())
    // A timer may be early.
    if (due.length > 0) await cycle(due, report)
    settled = new AbortController()
    const lookAt = now() + (reload?.pollMs ?? Number.POSITIVE_INFINITY)
    const until = Math.min(schedule.nextAt(), lookAt)
    await waitUntil(until, { now, wait, ends: [stop, asked, settled.signal] })
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
