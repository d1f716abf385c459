import { readablePeriod } from '@wattfeed/eia'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import type { FeedsFileState } from '../../feeds/file/feedsFile.ts'
import { type ClockReading, isClockOff } from '../../runtime/clocks.ts'
import type { Log } from '../../runtime/log.ts'
import type { AgentEvent, OutboxStep } from '../events.ts'
import type { Pace } from '../intervals.ts'
import type { AgentMetrics } from './agentMetrics.ts'
import { type CommitteeWatch, type CommitteeWatchOptions, createCommitteeWatch } from './committeeWatch.ts'
import {
  AgentFacts,
  type Moment,
  noteExecuted,
  noteFeeds,
  noteNotArchived,
  noteOtherValues,
  noteOutcome,
  noteReading,
} from './facts.ts'
import { clockText, type HealthReport, healthOf, LOW_BALANCE_DAYS } from './health.ts'
import { type LateFeed, LateFeeds } from './lateFeeds.ts'
import { periodTexts } from './logEvents.ts'
import { Spending } from './spending.ts'

/** Collects an agent's events for its metrics, health report and warnings. */
export interface AgentWatch {
  readonly hear: (event: AgentEvent) => void
  /** Checks for late feeds and wrong clocks. Logs the start and the end of each. */
  review(): void
  join(committee: Omit<CommitteeWatchOptions, 'metrics' | 'log' | 'now'>): CommitteeWatch
  health(): HealthReport
}

/** A warning is logged when the balance falls below one of these numbers of days. */
const WARNING_DAYS = [LOW_BALANCE_DAYS, 3]
// The spending rate varies a little, so that only a clearly higher balance counts as refilled.
const FILLED_UP = 1.2

export interface WatchedAgent extends Pace {
  readonly feeds: readonly FeedConfig[]
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds of a monotonic clock. @default `now` */
  readonly steadyNow?: () => number
  readonly metrics: AgentMetrics
  readonly log: Log
  /** @default no clocks are compared */
  readonly clocks?: () => readonly ClockReading[]
}

interface WatchState extends Pick<WatchedAgent, 'metrics'> {
  readonly facts: AgentFacts
  readonly moment: () => Moment
  readonly lateFeeds: LateFeeds
  readonly spending: Spending
  readonly warnOfBalance: (days: number) => void
  readonly review: () => void
  /** Hashes of transactions. */
  readonly pending: Set<string>
}

export function createAgentWatch(agent: WatchedAgent): AgentWatch {
  const { feeds, now, steadyNow = now, metrics, log, clocks = () => [] } = agent
  const moment = () => ({ now: now(), steadyMs: steadyNow() })
  const facts = new AgentFacts(feeds, steadyNow())
  const lateFeeds = new LateFeeds(feeds, now)

  function review(): void {
    const late = lateFeeds.list()
    logLateFeeds(log, facts.late ?? [], late)
    facts.late = late
    const readings = clocks()
    logClocks(log, facts.clocks, readings)
    facts.clocks = readings
  }

  const watch: WatchState = {
    metrics,
    facts,
    moment,
    lateFeeds,
    spending: new Spending(steadyNow, () => facts.feeds.map(({ frequency }) => frequency)),
    warnOfBalance: createBalanceWarnings(log),
    review,
    pending: new Set(),
  }
  metrics.observe({
    facts,
    moment,
    reasons: () => healthOf(facts, moment(), agent).health.reasons.map(({ code }) => code),
  })
  return {
    hear: (event) => hear(watch, event),
    review,
    join(committee) {
      const joined = createCommitteeWatch({ ...committee, metrics: metrics.committee, log, now })
      facts.committee = joined.facts
      return joined
    },
    health() {
      review()
      return healthOf(facts, moment(), agent)
    },
  }
}

function hear(watch: WatchState, event: AgentEvent): void {
  const { facts, metrics, moment, lateFeeds } = watch
  if (event.event === 'feeds') noteWatched(watch, event.feeds, event.file)
  else if (event.event === 'read') lateFeeds.read({ feedId: event.feedId, ...event.state })
  else if (event.event === 'lost') {
    facts.lost.delete(event.feed.feed_id)
    if (event.lost.length > 0) facts.lost.set(event.feed.feed_id, periodTexts(event.feed, event.lost))
  } else if (event.event === 'step') noteStep(watch, event.step)
  else if (event.event === 'outcome') {
    metrics.outcome(event.outcome)
    noteOutcome(facts, event.outcome, moment().steadyMs)
    lateFeeds.outcome(event.outcome)
  } else if (event.event === 'cycle') {
    facts.lastCycleSteadyMs = moment().steadyMs
    facts.lastCycleMs = event.durationMs
    watch.review()
  } else if (event.event === 'other_writer') {
    metrics.otherWriter(event.found.length)
    noteOtherValues(facts, event.found, moment().steadyMs)
  } else if (event.event === 'balance') noteBalance(watch, event.balanceMotes)
  else if (event.event === 'protocol_version') facts.protocolVersion = event.version
  else if (event.event === 'request') metrics.upstream(event)
  else if (event.event === 'dataset_step') {
    noteReading(facts, moment().steadyMs)
    if (event.step.step === 'not_kept')
      noteNotArchived(facts, event.feedId, event.step.snapshots, moment().steadyMs)
  } else if (event.event === 'throttled') {
    metrics.throttled()
    facts.throttledUntil = event.untilMs
  }
}

function noteWatched(
  { facts, metrics, lateFeeds }: WatchState,
  feeds: readonly FeedConfig[],
  file: FeedsFileState | null,
): void {
  const ids = new Set(feeds.map(({ feed_id }) => feed_id))
  for (const { feed_id } of facts.feeds) if (!ids.has(feed_id)) forget(feed_id, { facts, metrics })
  noteFeeds(facts, feeds)
  lateFeeds.watch(feeds)
  facts.feedsFile = file
}

function forget(feedId: string, { facts, metrics }: Pick<WatchState, 'facts' | 'metrics'>): void {
  metrics.forget(feedId)
  metrics.committee.forget(feedId)
  facts.committee?.roots.delete(feedId)
}

function noteStep({ facts, metrics, moment, spending, pending }: WatchState, step: OutboxStep): void {
  notePending(pending, step)
  facts.pendingTransactions = pending.size
  if (step.step !== 'settled') return
  const { chargedMotes, attestedFeedIds: feedIds, outcome } = step.settled
  if (outcome === 'executed') noteExecuted(facts, moment().steadyMs)
  if (chargedMotes === null) return
  metrics.charged({ chargedMotes, feedIds })
  facts.attestationCost = Number(chargedMotes) / feedIds.length
  spending.charged(chargedMotes, feedIds.length)
}

/** Warns once when the balance falls below 14 days, and once below 3 days. */
function noteBalance({ facts, spending, warnOfBalance }: WatchState, balanceMotes: bigint): void {
  const days = spending.daysLeft(balanceMotes)
  facts.balanceMotes = balanceMotes
  facts.balanceDays = days
  if (days !== null) warnOfBalance(days)
}

function notePending(pending: Set<string>, step: OutboxStep): void {
  if (step.step === 'written' || step.step === 'resumed') pending.add(step.transactionHash)
  if (step.step === 'settled') pending.delete(step.settled.transactionHash)
  // A transaction whose timestamp a node rejects is removed and signed again without being settled.
  if (step.step === 'removed') pending.delete(step.transactionHash)
}

/** Logs each feed that became late since the previous review, and each that is no longer late. */
function logLateFeeds(log: Log, before: readonly LateFeed[], found: readonly LateFeed[]): void {
  const idsBefore = new Set(before.map(({ feedId }) => feedId))
  const ids = new Set(found.map(({ feedId }) => feedId))
  for (const feed of found) if (!idsBefore.has(feed.feedId)) log.warn(lateFields(feed), 'feed is late')
  for (const feed_id of idsBefore) if (!ids.has(feed_id)) log.info({ feed_id }, 'feed is no longer late')
}

const lateFields = (feed: LateFeed): object => ({
  feed_id: feed.feedId,
  period: feed.period === null ? null : readablePeriod(feed.period),
  expected_period: feed.expectedPeriod === null ? null : readablePeriod(feed.expectedPeriod),
  due_at: feed.dueAt === null ? null : new Date(feed.dueAt),
  due_on: feed.dueOn,
  last_poll: feed.lastPoll,
})

/** Logs when a clock starts to differ from this machine's, and when none differs any more. */
function logClocks(log: Log, before: readonly ClockReading[], found: readonly ClockReading[]): void {
  const wasWrong = before.some(isClockOff)
  const off = found.filter(isClockOff)
  const [first] = off
  if (first !== undefined && !wasWrong)
    log.warn(
      { host: first.host, detail: clockText(first, { off: off.length, all: found.length }) },
      "clock skew: this machine's clock differs from a server's",
    )
  if (first === undefined && wasWrong) log.info({}, 'clock skew resolved')
}

/** Returns a function that warns once for each limit in {@link WARNING_DAYS} until the balance is filled up. */
function createBalanceWarnings(log: Log) {
  const warned = new Set<number>()
  return (days: number): void => {
    for (const limit of WARNING_DAYS) if (days > limit * FILLED_UP) warned.delete(limit)
    const crossed = WARNING_DAYS.filter((limit) => days < limit && !warned.has(limit))
    for (const limit of crossed) warned.add(limit)
    if (crossed.length > 0)
      log.warn({ balance_days: Math.round(days * 10) / 10 }, 'low balance; send CSPR to the account')
  }
}
