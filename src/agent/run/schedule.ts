import { isDeepStrictEqual } from 'node:util'
import type { Calendar } from '../../eia/calendar.ts'
import type { DecidedFeed, FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { awaitedCalendar, FIRST_LOOK_MS, type Pace, SELDOM_MS, soonMs } from '../intervals.ts'

/** When each feed is due. All times are milliseconds of a monotonic clock. */
export interface Schedule {
  /** Replaces the feeds. New and changed feeds are due at once; the others keep their times. */
  setFeeds(feeds: readonly FeedConfig[]): void
  /** Returns when the next feed is due: at once if this machine's clock was set. */
  nextAt(): number
  /** Returns the due feeds in the order of the configuration. A returned feed is not due again until it is settled. */
  takeDue(now: number): FeedConfig[]
  /**
   * Records the outcome of a feed that was taken. After a success, the feed is due with the others of its release or
   * frequency, or soon if its release has not brought its period yet.
   *
   * After a failure, the feed backs off with a delay that doubles each time. If periods are missing, it is due at once.
   */
  settled(outcome: FeedOutcome, now: number): void
}

export interface ScheduleOptions extends Pace {
  feeds: readonly FeedConfig[]
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  random: () => number
  /** How far this machine's clock is ahead of the schedule's, in milliseconds. Releases follow the machine's. @default 0 */
  aheadMs?: () => number
}

/** A larger step of this machine's clock makes all feeds due, because decisions and plans may be based on a wrong time. */
const CLOCK_SET_MS = 30_000

const FIRST_BACK_OFF_MS = 30_000
const JITTER = 0.1

interface FeedState {
  readonly feed: FeedConfig
  /** The releases that the feed waits for; null if it is polled at the interval of its frequency. */
  readonly calendar: Calendar | null
  dueAt: number
  /** Whether the feed was taken and is not settled. */
  isTaken: boolean
  failures: number
  /** The newest period for which EIA had a value, as an integer. */
  period: number | null
  /** When a value was last attested, by this machine's clock. */
  writtenAt: number
}

interface ScheduleState {
  readonly options: ScheduleOptions & { readonly aheadMs: () => number }
  feeds: FeedState[]
  /** When the feeds of a tick are due next, by {@link tickName}. */
  readonly ticks: Map<string, number>
  takenAt: number
  /** `aheadMs` at the last `takeDue`. */
  ahead: number
}

/**
 * Creates a schedule in which every feed is due at once. Later, a feed with a known release is due right after it, soon
 * again while its period is missing, and otherwise rarely. Other feeds are due at the interval of their frequency.
 *
 * Feeds of a release or a frequency are due together, to share transactions. A failing feed is due on its own until it
 * succeeds.
 */
export function createSchedule({ aheadMs = () => 0, ...options }: ScheduleOptions): Schedule {
  const schedule: ScheduleState = {
    options: { ...options, aheadMs },
    feeds: options.feeds.map((feed) => newFeedState(feed, options)),
    ticks: new Map(),
    takenAt: Number.NEGATIVE_INFINITY,
    ahead: aheadMs(),
  }
  return {
    setFeeds: (feeds) => setFeeds(schedule, feeds),
    nextAt: () => nextAt(schedule),
    takeDue: (now) => takeDue(schedule, now),
    settled: (outcome, now) => settle(schedule, outcome, now),
  }
}

const newFeedState = (feed: FeedConfig, { fixedFrequencies }: Pace): FeedState => ({
  feed,
  calendar: awaitedCalendar(feed, fixedFrequencies),
  dueAt: Number.NEGATIVE_INFINITY,
  isTaken: false,
  failures: 0,
  period: null,
  writtenAt: Number.NEGATIVE_INFINITY,
})

function setFeeds(schedule: ScheduleState, feeds: readonly FeedConfig[]): void {
  schedule.feeds = feeds.map((feed) => {
    const state = stateOf(schedule, feed.feed_id)
    return state && isDeepStrictEqual(state.feed, feed) ? state : newFeedState(feed, schedule.options)
  })
}

function nextAt(schedule: ScheduleState): number {
  const free = schedule.feeds.filter(({ isTaken }) => !isTaken)
  if (free.length > 0 && isClockSet(schedule)) return Number.NEGATIVE_INFINITY
  return Math.min(...free.map(({ dueAt }) => dueAt))
}

function takeDue(schedule: ScheduleState, now: number): FeedConfig[] {
  if (isClockSet(schedule)) makeAllDue(schedule)
  schedule.ahead = schedule.options.aheadMs()
  const due = schedule.feeds.filter(({ isTaken, dueAt }) => !isTaken && dueAt <= now)
  for (const state of due) state.isTaken = true
  schedule.takenAt = now
  moveTicks(schedule, now)
  return due.map(({ feed }) => feed)
}

function settle(schedule: ScheduleState, outcome: FeedOutcome, now: number): void {
  const state = stateOf(schedule, outcome.feedId)
  if (!state) return
  state.isTaken = false
  if (outcome.error !== null) {
    backOff(schedule, state, now)
    return
  }
  notePeriod(state, outcome, now + schedule.ahead)
  state.failures = 0
  state.dueAt = outcome.missing > 0 ? now : dueWithOthers(schedule, state)
}

const stateOf = ({ feeds }: ScheduleState, feedId: string): FeedState | undefined =>
  feeds.find(({ feed }) => feed.feed_id === feedId)

const isClockSet = ({ options, ahead }: ScheduleState): boolean =>
  Math.abs(options.aheadMs() - ahead) > CLOCK_SET_MS

function makeAllDue({ feeds, ticks }: ScheduleState): void {
  ticks.clear()
  for (const state of feeds) state.dueAt = Number.NEGATIVE_INFINITY
}

function backOff({ options }: ScheduleState, state: FeedState, now: number): void {
  const longest = options.intervals[state.feed.frequency]
  const delay = Math.min(longest, FIRST_BACK_OFF_MS * 2 ** state.failures)
  state.dueAt = now + jittered(delay, options.random)
  state.failures += 1
}

function notePeriod(state: FeedState, { decision, result }: DecidedFeed, clockMs: number): void {
  if (decision !== 'withheld') state.period = result.period
  if (decision === 'new-period' || decision === 'revision') state.writtenAt = clockMs
}

function dueWithOthers(schedule: ScheduleState, state: FeedState): number {
  // A new period may have moved the feed to another tick.
  if (tickOf(schedule, tickName(schedule, state)) <= schedule.takenAt) moveTicks(schedule, schedule.takenAt)
  return tickOf(schedule, tickName(schedule, state))
}

const tickOf = ({ ticks }: ScheduleState, name: string): number => ticks.get(name) ?? Number.NEGATIVE_INFINITY

function tickName(schedule: ScheduleState, state: FeedState): string {
  const { calendar, feed } = state
  if (calendar === null) return feed.frequency
  return `${calendar.rule.rule} ${lacksPeriod(schedule, state) ? 'missing' : 'there'}`
}

function moveTicks(schedule: ScheduleState, now: number): void {
  const groups = Map.groupBy(schedule.feeds, (state) => tickName(schedule, state))
  for (const [name, [first, ...others]] of groups)
    if (first !== undefined && tickOf(schedule, name) <= now)
      schedule.ticks.set(name, nextTick(schedule, first, 1 + others.length, now))
}

function nextTick(schedule: ScheduleState, state: FeedState, feedCount: number, now: number): number {
  const { ahead, options } = schedule
  const { intervals, random } = options
  const { calendar, feed } = state
  if (calendar === null) return now + jittered(intervals[feed.frequency], random)
  const { dueAt, nextDueAt } = calendar.dueAt(now + ahead)
  const isInGrace = now + ahead < dueAt + calendar.graceMs
  const whileMissing = isInGrace ? soonMs(feedCount) : intervals[feed.frequency]
  const afterRelease = nextDueAt - ahead + FIRST_LOOK_MS * (1 + random())
  const interval = lacksPeriod(schedule, state) ? whileMissing : SELDOM_MS
  return Math.min(now + jittered(interval, random), afterRelease)
}

/** Whether the last poll did not find the period that a release should have brought. */
function lacksPeriod({ takenAt, ahead }: ScheduleState, { calendar, period, writtenAt }: FeedState): boolean {
  if (calendar === null || period === null) return false
  const clockMs = takenAt + ahead
  const { dueAt, expectedPeriod } = calendar.dueAt(clockMs)
  // A new forecast may have the same periods and values as the last one, so stop waiting for a change after the grace.
  if (calendar.rule.isForecast) return writtenAt < dueAt && clockMs < dueAt + calendar.graceMs
  return period < expectedPeriod
}

const jittered = (durationMs: number, random: () => number): number =>
  durationMs * (1 + JITTER * (2 * random() - 1))
