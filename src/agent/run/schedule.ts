import { isDeepStrictEqual } from 'node:util'
import { type Calendar, EiaRowsMovedError } from '@wattfeed/eia'
import { type FeedConfig, isDataset } from '../../feeds/file/feedConfig.ts'
import { RootsDifferError } from '../committee/roots/rootVote.ts'
import type { DecidedFeed, FeedOutcome } from '../feedOutcome.ts'
import { awaitedCalendar, FIRST_LOOK_MS, intervalOf, type Pace, SELDOM_MS, soonMs } from '../intervals.ts'
import { NewStateError } from '../state/newState.ts'

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
const MOVED_MS = 120_000
/** A release of a dataset arrives in pieces. So after a change, it is read again until nothing has changed. */
const UNSETTLED_MS = 1_800_000
/** Between the end of such a reading and the next one: reading a large dataset may take longer than that. */
const LEAST_PAUSE_MS = 600_000
const JITTER = 0.1

interface ScheduledFeed {
  readonly feed: FeedConfig
  /** The releases that the feed waits for; null if it is polled at the interval of its frequency. */
  readonly calendar: Calendar | null
  dueAt: number
  /** Since when a dataset has changed without a later reading that has brought nothing new. */
  unsettledAt: number
  /** When the feed was taken; null if it is settled. */
  takenAt: number | null
  failures: number
  /** The newest period for which EIA had a value, as an integer; before all periods until it has one. */
  period: number
  /** When a value was last attested, by this machine's clock. */
  writtenAt: number
}

/**
 * When each feed is due. All times are milliseconds of a monotonic clock.
 *
 * At first every feed is due at once. Later, a feed with a known release is due right after it, soon again while its period is
 * missing, and otherwise rarely. Other feeds are due at the interval of their frequency.
 *
 * Feeds of a release or a frequency are due together, at the ticks of their group, to share transactions. A failing feed is due
 * on its own until it succeeds.
 */
export class Schedule {
  readonly #options: ScheduleOptions
  readonly #aheadMs: () => number
  #feeds: ScheduledFeed[]
  /** When the feeds of a group are due next, by its name. */
  readonly #ticks = new Map<string, number>()
  #takenAt = Number.NEGATIVE_INFINITY
  /** `aheadMs` when feeds were last taken. */
  #ahead: number

  constructor(options: ScheduleOptions) {
    this.#options = options
    this.#aheadMs = options.aheadMs ?? (() => 0)
    this.#feeds = options.feeds.map((feed) => newScheduledFeed(feed, options))
    this.#ahead = this.#aheadMs()
  }

  /** Replaces the feeds. New and changed feeds are due at once; the others keep their times. */
  setFeeds(feeds: readonly FeedConfig[]): void {
    this.#feeds = feeds.map((feed) => {
      const state = this.#find(feed.feed_id)
      return state && isDeepStrictEqual(state.feed, feed) ? state : newScheduledFeed(feed, this.#options)
    })
  }

  /** Makes a feed due at once. */
  hurry(feedId: string): void {
    const state = this.#find(feedId)
    if (state) state.dueAt = Number.NEGATIVE_INFINITY
  }

  /** Notes that a dataset has changed between two readings: the other values may have changed, too. */
  unsettle(feedId: string, now: number): void {
    const state = this.#find(feedId)
    if (!state) return
    state.unsettledAt = now
    state.dueAt = Math.min(state.dueAt, now + this.#jittered(UNSETTLED_MS))
  }

  /** Returns when the next feed is due: at once if this machine's clock was set. */
  nextAt(): number {
    const free = this.#feeds.filter(({ takenAt }) => takenAt === null)
    if (free.length > 0 && this.#isClockSet()) return Number.NEGATIVE_INFINITY
    return Math.min(...free.map(({ dueAt }) => dueAt))
  }

  /** Returns the due feeds in the order of the configuration. A returned feed is not due again until it is settled. */
  takeDue(now: number): FeedConfig[] {
    if (this.#isClockSet()) this.#makeAllDue()
    this.#ahead = this.#aheadMs()
    const due = this.#feeds.filter(({ takenAt, dueAt }) => takenAt === null && dueAt <= now)
    for (const state of due) state.takenAt = now
    this.#takenAt = now
    this.#moveTicks()
    return due.map(({ feed }) => feed)
  }

  /**
   * Records the outcome of a feed that was taken. After a success, the feed is due with the others of its release or
   * frequency, or soon if its release has not brought its period yet.
   *
   * After a failure, the feed backs off with a delay that doubles each time. While the state folder is new, it backs off until that
   * is over. If periods are missing, it is due at once.
   */
  settle(outcome: FeedOutcome, now: number): void {
    const state = this.#find(outcome.feedId)
    if (!state) return
    const takenAt = state.takenAt ?? now
    state.takenAt = null
    if (outcome.error !== null) {
      this.#backOff(state, outcome.error, now)
      return
    }
    notePeriod(state, outcome, now + this.#ahead)
    state.failures = 0
    state.dueAt = outcome.missing > 0 ? now : this.#dueWithOthers(state)
    if (isDataset(state.feed)) this.#settleDataset(state, outcome.decision, { takenAt, now })
  }

  #settleDataset(
    state: ScheduledFeed,
    decision: DecidedFeed['decision'],
    { takenAt, now }: { readonly takenAt: number; readonly now: number },
  ): void {
    if (decision === 'new-period' || decision === 'revision')
      state.unsettledAt = Math.max(state.unsettledAt, takenAt)
    else if (takenAt > state.unsettledAt) state.unsettledAt = Number.NEGATIVE_INFINITY
    if (state.unsettledAt === Number.NEGATIVE_INFINITY) return
    // A committee may have taken minutes to attest it.
    const againAt = Math.max(state.unsettledAt + this.#jittered(UNSETTLED_MS), now + LEAST_PAUSE_MS)
    state.dueAt = Math.min(state.dueAt, againAt)
  }

  #find(feedId: string): ScheduledFeed | undefined {
    return this.#feeds.find(({ feed }) => feed.feed_id === feedId)
  }

  #isClockSet(): boolean {
    return Math.abs(this.#aheadMs() - this.#ahead) > CLOCK_SET_MS
  }

  #makeAllDue(): void {
    this.#ticks.clear()
    for (const state of this.#feeds) state.dueAt = Number.NEGATIVE_INFINITY
  }

  #backOff(state: ScheduledFeed, error: Error, now: number): void {
    const longest = intervalOf(state.feed, this.#options)
    const delay = Math.min(longestDelay(error, longest), FIRST_BACK_OFF_MS * 2 ** state.failures)
    // A delay that has grown meanwhile would keep the feed's values back long after those of others.
    const waitMs = this.#waitOf(error)
    if (waitMs === null) state.failures += 1
    state.dueAt = now + (waitMs === null ? this.#jittered(delay) : Math.min(longest, waitMs))
  }

  /** How long an error says that the feed must wait, in milliseconds; null if the delay grows with each failure. */
  #waitOf(error: Error): number | null {
    if (error instanceof NewStateError) return error.waitMs + this.#jittered(FIRST_BACK_OFF_MS)
    return error instanceof RootsDifferError ? this.#jittered(error.waitMs) : null
  }

  #dueWithOthers(state: ScheduledFeed): number {
    // A new period may have moved the feed to another group.
    if (this.#tickOf(this.#groupOf(state)) <= this.#takenAt) this.#moveTicks()
    return this.#tickOf(this.#groupOf(state))
  }

  #tickOf(group: string): number {
    return this.#ticks.get(group) ?? Number.NEGATIVE_INFINITY
  }

  /** Returns the name of the feeds that are due together with this one. */
  #groupOf(state: ScheduledFeed): string {
    const { calendar, feed } = state
    if (calendar === null) return `${feed.frequency} ${intervalOf(feed, this.#options)}`
    return `${calendar.rule.rule} ${this.#lacksPeriod(state) ? 'missing' : 'there'}`
  }

  /** Sets the next tick of each group whose last one is over. */
  #moveTicks(): void {
    const groups = Map.groupBy(this.#feeds, (state) => this.#groupOf(state))
    for (const [group, [first, ...others]] of groups)
      if (first !== undefined && this.#tickOf(group) <= this.#takenAt)
        this.#ticks.set(group, this.#nextTick(first, 1 + others.length))
  }

  #nextTick(state: ScheduledFeed, feedCount: number): number {
    const { random } = this.#options
    const { calendar, feed } = state
    const now = this.#takenAt
    const interval = intervalOf(feed, this.#options)
    if (calendar === null) return now + this.#jittered(interval)
    const clockMs = now + this.#ahead
    const { dueAt, nextDueAt } = calendar.dueAt(clockMs)
    const isInGrace = clockMs < dueAt + calendar.graceMs
    const whileMissing = isInGrace ? soonMs(feedCount) : interval
    const afterRelease = nextDueAt - this.#ahead + FIRST_LOOK_MS * (1 + random())
    const pause = this.#lacksPeriod(state) ? whileMissing : SELDOM_MS
    return Math.min(now + this.#jittered(pause), afterRelease)
  }

  /** Whether the last poll did not find the period that a release should have brought. */
  #lacksPeriod({ calendar, period, writtenAt }: ScheduledFeed): boolean {
    if (calendar === null) return false
    const clockMs = this.#takenAt + this.#ahead
    const { dueAt, expectedPeriod } = calendar.dueAt(clockMs)
    // A new forecast may have the same periods and values as the last one, so stop waiting for a change after the grace.
    if (calendar.rule.isForecast) return writtenAt < dueAt && clockMs < dueAt + calendar.graceMs
    return period < expectedPeriod
  }

  #jittered(durationMs: number): number {
    return durationMs * (1 + JITTER * (2 * this.#options.random() - 1))
  }
}

/** The longest delay after an error. While EIA's rows change, a release is coming, which should not wait for hours afterwards. */
const longestDelay = (error: Error, intervalMs: number): number =>
  error instanceof EiaRowsMovedError ? Math.min(intervalMs, MOVED_MS) : intervalMs

const newScheduledFeed = (feed: FeedConfig, { fixedFrequencies }: Pace): ScheduledFeed => ({
  feed,
  calendar: awaitedCalendar(feed, fixedFrequencies),
  dueAt: Number.NEGATIVE_INFINITY,
  takenAt: null,
  unsettledAt: Number.NEGATIVE_INFINITY,
  failures: 0,
  period: Number.NEGATIVE_INFINITY,
  writtenAt: Number.NEGATIVE_INFINITY,
})

function notePeriod(state: ScheduledFeed, { decision, result }: DecidedFeed, clockMs: number): void {
  if (decision !== 'withheld') state.period = result.period
  if (decision === 'new-period' || decision === 'revision') state.writtenAt = clockMs
}
