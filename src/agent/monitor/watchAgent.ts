import { formatPeriod } from '../../eia/period.ts'
import { readablePeriod } from '../../eia/readablePeriod.ts'
import type { Log } from '../../runtime/log.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { FeedsFileState } from '../feeds/feedsFile.ts'
import type { Pace } from '../intervals.ts'
import type { OutboxStep } from '../send/outboxStep.ts'
import type { LostPeriodsOptions } from '../state/lostPeriods.ts'
import type { AgentMetrics } from './agentMetrics.ts'
import { type ClockReading, isClockOff } from './clocks.ts'
import { type CommitteeWatch, type CommitteeWatchOptions, createCommitteeWatch } from './committeeWatch.ts'
import {
  createFacts,
  noteExecuted,
  noteFeeds,
  noteOtherValues,
  noteOutcome,
  type OtherValue,
} from './facts.ts'
import { clockText, type HealthReport, healthOf, LOW_BALANCE_DAYS } from './health.ts'
import { createLateFeeds, type FeedOnChain, type LateFeed } from './lateFeeds.ts'
import { createSpending } from './spending.ts'

/** Collects an agent's events for its metrics, health report and warnings. */
export interface AgentWatch extends Pick<AgentMetrics, 'upstream' | 'throttled'> {
  outcome(outcome: FeedOutcome): void
  read(state: FeedOnChain): void
  /** Records all lost periods of a feed. Warns of those that are added. */
  lost: LostPeriodsOptions['onLost']
  step(step: OutboxStep): void
  cycle(durationMs: number): void
  otherWriter(attestations: readonly OtherValue[]): void
  /** Records the account's balance in motes. Warns once when it falls below 14 days, and once below 3 days. */
  balance(balanceMotes: bigint): void
  /** Records the watched feeds and their file; null for the built-in feeds. */
  feeds(feeds: readonly FeedConfig[], file: FeedsFileState | null): void
  /** Checks for late feeds and wrong clocks. Logs the start and the end of each. */
  review(): void
  join(committee: Omit<CommitteeWatchOptions, 'metrics' | 'log' | 'now'>): CommitteeWatch
  health(): HealthReport
}

export interface AgentWatchOptions extends Pace {
  feeds: readonly FeedConfig[]
  /** Epoch milliseconds. */
  now: () => number
  /** Milliseconds of a monotonic clock. @default `now` */
  steadyNow?: () => number
  metrics: AgentMetrics
  log: Log
  /** @default no clocks are compared */
  clocks?: () => readonly ClockReading[]
}

/** A warning is logged when the balance falls below one of these numbers of days. */
const WARNING_DAYS = [LOW_BALANCE_DAYS, 3]
// The spending rate varies a little, so that only a clearly higher balance counts as refilled.
const FILLED_UP = 1.2

export function createAgentWatch({
  metrics,
  log,
  clocks = () => [],
  ...options
}: AgentWatchOptions): AgentWatch {
  const { feeds, now, steadyNow = now } = options
  const moment = () => ({ now: now(), steadyMs: steadyNow() })
  const facts = createFacts(feeds, moment())
  const lateFeeds = createLateFeeds(options)
  const warnOfBalance = createBalanceWarnings(log)
  const spending = createSpending({ now, frequencies: () => facts.feeds.map(({ frequency }) => frequency) })
  const pending = new Set<string>()

  function settled({ settled }: SettledOutboxStep): void {
    const { chargedMotes, attestedFeedIds: feedIds, outcome } = settled
    if (outcome === 'executed') noteExecuted(facts, moment())
    if (chargedMotes === null) return
    metrics.charged({ chargedMotes, feedIds })
    facts.attestationCost = Number(chargedMotes) / feedIds.length
    spending.charged(chargedMotes, feedIds.length)
  }

  function review(): void {
    const late = lateFeeds.list()
    logLateFeeds(log, facts.late ?? [], late)
    facts.late = late
    const readings = clocks()
    logClocks(log, facts.clocks, readings)
    facts.clocks = readings
  }

  metrics.observe({
    facts,
    reasons: () => healthOf(facts, moment(), options).health.reasons.map(({ code }) => code),
  })

  return {
    upstream: metrics.upstream,
    throttled(event) {
      metrics.throttled(event)
      facts.throttledUntil = event.untilMs
    },
    outcome(outcome) {
      metrics.outcome(outcome)
      noteOutcome(facts, outcome, moment())
      lateFeeds.outcome(outcome)
    },
    read: lateFeeds.read,
    lost({ feed_id, frequency }, periods, added) {
      // The integer of a local hour lacks its offset, so it is shown in UTC.
      const textOf = (each: number) =>
        formatPeriod(frequency, each) ?? formatPeriod('hourly', each) ?? String(each)
      const texts = (some: readonly number[]) => some.map(textOf)
      if (added.length > 0)
        log.warn({ feed_id, periods: texts(added) }, 'periods are lost: attest them with "feeds backfill"')
      facts.lost.delete(feed_id)
      if (periods.length > 0) facts.lost.set(feed_id, texts(periods))
    },
    step(step) {
      notePending(pending, step)
      if (step.step === 'settled') settled(step)
      facts.pendingTransactions = pending.size
    },
    cycle(durationMs) {
      facts.lastCycleAt = now()
      facts.lastCycleMs = durationMs
      review()
    },
    otherWriter(attestations) {
      for (const attestation of attestations) logOtherWriter(log, attestation)
      metrics.otherWriter(attestations.length)
      noteOtherValues(facts, attestations, now())
    },
    balance(balanceMotes) {
      const days = spending.daysLeft(balanceMotes)
      facts.balanceMotes = balanceMotes
      facts.balanceDays = days
      if (days !== null) warnOfBalance(days)
    },
    feeds(changed, file) {
      const ids = new Set(changed.map(({ feed_id }) => feed_id))
      for (const { feed_id } of facts.feeds) if (!ids.has(feed_id)) metrics.forget(feed_id)
      noteFeeds(facts, changed)
      lateFeeds.watch(changed)
      facts.feedsFile = file
    },
    review,
    join(committee) {
      const joined = createCommitteeWatch({ ...committee, metrics: metrics.committee, log, now })
      facts.committee = joined.facts
      return joined
    },
    health() {
      review()
      return healthOf(facts, moment(), options)
    },
  }
}

type SettledOutboxStep = Extract<OutboxStep, { step: 'settled' }>

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

function logOtherWriter(log: Log, { feedId: feed_id, value }: OtherValue): void {
  const { period, amount, timestamp } = value
  log.error(
    { feed_id, period: readablePeriod(period), amount: amount.toString(), attested_at: new Date(timestamp) },
    'the state folder has no record of sending this value of its account',
  )
}
