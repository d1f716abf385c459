import { errorFields } from '../../runtime/errorFields.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { FeedsFileState } from '../feeds/feedsFile.ts'
import { type Intervals, longestPauseMs, type Pace } from '../intervals.ts'
import { FeedBackfillingError } from '../outbox/feedLocks.ts'

/** Why an agent is not well. */
export interface HealthReason {
  /** The code of the feeds' error, or `nothing_works`, `throttled`, `gaps`, `older_than_chain`, `low_balance`, `feeds_file`. */
  code: string
  message: string
  feed_ids?: readonly string[]
}

/** What `/health` reports. All times are epoch milliseconds. */
export interface AgentHealth {
  status: 'ok' | 'degraded'
  service: 'wattfeed-agent'
  /** None while the status is `ok`. */
  reasons: readonly HealthReason[]
  /** How many feeds are watched. */
  feeds: number
  /** How many failed when last tried. */
  failing: number
  /** When the last cycle ended; null before the first. */
  last_cycle_at: number | null
  /** When a feed was last decided or a transaction executed; null before. */
  last_success_at: number | null
  pending_transactions: number
  /** For how many days the balance pays at the present rate; null while that is not known. */
  balance_days: number | null
  /** The feeds file in force; null for the built-in feeds. */
  feeds_file: FeedsFileState | null
}

/** What is reported, and whether anything works. */
export interface HealthReport {
  /** False when nothing worked for longer than it may: HTTP 503. */
  isWorking: boolean
  health: AgentHealth
}

/** Tracks what `/health` reports. */
export interface Health {
  report(): HealthReport
  /** Records a feed's outcome. */
  outcome(outcome: FeedOutcome): void
  /** Records that something worked besides a feed's outcome: a transaction was executed. */
  worked(): void
  cycleEnded(): void
  /** Records until when no request is sent to EIA. */
  throttled(untilMs: number): void
  balance(days: number | null): void
  pending(transactions: number): void
  /** Records which feeds are watched from now on. */
  watch(feeds: readonly FeedConfig[]): void
  feedsFile(state: FeedsFileState | null): void
}

/** Below that many days of balance, health says so. */
export const LOW_BALANCE_DAYS = 14

/** For how long EIA may show an earlier period than the chain: one of its servers may lag for a while. */
const OLDER_ALLOWED_MS = 60 * 60_000

/** From when to when each look at a feed found that the chain holds a later period than EIA, in epoch milliseconds. */
interface OlderSpan {
  readonly since: number
  readonly last: number
}

// A cycle may wait two minutes each for an earlier and for a new transaction, and a minute for EIA.
const MIN_ALLOWED_MS = 10 * 60_000

/**
 * Returns for how long nothing may work, in milliseconds: twice the time between two looks at the feed that is looked at
 * most often, ten minutes at least.
 */
export const allowedMs = (
  feeds: readonly FeedConfig[],
  intervals: Intervals,
  fixedFrequencies?: Pace['fixedFrequencies'],
): number =>
  Math.max(
    MIN_ALLOWED_MS,
    2 * Math.min(...feeds.map((feed) => longestPauseMs(feed, { intervals, fixedFrequencies }))),
  )

/** Periods that are still missing on chain. */
export const missingOf = ({ missing = 0 }: FeedOutcome & { missing?: number | null }): number => missing ?? 0

export interface HealthOptions extends Pace {
  feeds: readonly FeedConfig[]
  /** Epoch milliseconds. */
  now: () => number
}

/** Creates the health of an agent that starts now. */
export function createHealth({ feeds, now, intervals, fixedFrequencies }: HealthOptions): Health {
  const startedAt = now()
  const failures = new Map<string, Error>()
  const gaps = new Map<string, number>()
  const older = new Map<string, OlderSpan>()
  let watched = feeds
  let throttledUntil = Number.NEGATIVE_INFINITY
  let isWorking = true
  const health = {
    feeds: feeds.length,
    failing: 0,
    last_cycle_at: null as number | null,
    last_success_at: null as number | null,
    pending_transactions: 0,
    balance_days: null as number | null,
    feeds_file: null as FeedsFileState | null,
  }

  function listReasons(): HealthReason[] {
    const reasons = [...failureReasons(failures), ...gapReasons(gaps), ...olderReasons(older)]
    if (!isWorking) reasons.unshift(nothingWorks(health.last_success_at, startedAt))
    if (now() < throttledUntil && !reasons.some(({ code }) => code === 'throttled'))
      reasons.push({
        code: 'throttled',
        message: `EIA asks to be left alone: no request is sent until ${timeText(throttledUntil)}`,
      })
    const { balance_days: days, feeds_file } = health
    if (days !== null && days < LOW_BALANCE_DAYS)
      reasons.push({ code: 'low_balance', message: lowBalanceText(days) })
    if (feeds_file?.error) reasons.push({ code: 'feeds_file', message: feeds_file.error })
    return reasons
  }

  return {
    report() {
      const idleMs = now() - (health.last_success_at ?? startedAt)
      isWorking = idleMs <= allowedMs(watched, intervals, fixedFrequencies)
      const reasons = listReasons()
      const status = reasons.length === 0 ? 'ok' : 'degraded'
      return {
        isWorking,
        health: { status, service: 'wattfeed-agent', reasons, ...health, failing: failures.size },
      }
    },
    outcome(outcome) {
      const { feedId, error } = outcome
      gaps.set(feedId, missingOf(outcome))
      // A backfill at work is no failure.
      if (error === null || error instanceof FeedBackfillingError) failures.delete(feedId)
      else failures.set(feedId, error)
      if (error === null) {
        health.last_success_at = now()
        if (outcome.decision !== 'older-than-chain') older.delete(feedId)
        else older.set(feedId, { since: older.get(feedId)?.since ?? now(), last: now() })
      }
    },
    worked() {
      health.last_success_at = now()
    },
    cycleEnded() {
      health.last_cycle_at = now()
    },
    throttled(untilMs) {
      throttledUntil = untilMs
    },
    balance(days) {
      health.balance_days = days
    },
    pending(transactions) {
      health.pending_transactions = transactions
    },
    watch(changed) {
      watched = changed
      health.feeds = changed.length
      const ids = new Set(changed.map(({ feed_id }) => feed_id))
      for (const known of [failures, gaps, older])
        for (const feedId of known.keys()) if (!ids.has(feedId)) known.delete(feedId)
    },
    feedsFile(state) {
      health.feeds_file = state
    },
  }
}

/** One reason for each code, in the order of the first feed. */
function failureReasons(failures: ReadonlyMap<string, Error>): HealthReason[] {
  const byCode = Map.groupBy(failures, ([, error]) => errorFields(error).code)
  return [...byCode].map(([code, failed]) => {
    const [first] = failed
    const others = failed.length === 1 ? '' : `, and ${failed.length - 1} more`
    return {
      code,
      message: `${first?.[0]}: ${first?.[1].message}${others}`,
      feed_ids: failed.map(([feedId]) => feedId),
    }
  })
}

function gapReasons(gaps: ReadonlyMap<string, number>): HealthReason[] {
  const found = [...gaps].filter(([, missing]) => missing > 0)
  if (found.length === 0) return []
  const periods = found.reduce((sum, [, missing]) => sum + missing, 0)
  const message = `${periods} periods that EIA has are not on chain yet`
  return [{ code: 'gaps', message, feed_ids: found.map(([feedId]) => feedId) }]
}

function olderReasons(older: ReadonlyMap<string, OlderSpan>): HealthReason[] {
  const lasting = [...older].filter(([, { since, last }]) => last - since >= OLDER_ALLOWED_MS)
  if (lasting.length === 0) return []
  const since = Math.min(...lasting.map(([, each]) => each.since))
  const feed_ids = lasting.map(([feedId]) => feedId)
  const others = feed_ids.length === 1 ? '' : `, and ${feed_ids.length - 1} more`
  const message = `EIA's newest period is earlier than the chain's for ${feed_ids[0]}${others} since ${timeText(since)}: EIA withdrew a value, or showed a wrong one; compare both with "feeds list" and "feeds check"`
  return [{ code: 'older_than_chain', message, feed_ids }]
}

const nothingWorks = (lastSuccessAt: number | null, startedAt: number): HealthReason => ({
  code: 'nothing_works',
  message: `no feed was decided and no transaction executed since ${timeText(lastSuccessAt ?? startedAt)}`,
})

/** Says how long the balance lasts. */
export const lowBalanceText = (days: number): string =>
  `the balance lasts for ${days.toFixed(1)} days at the present rate: send CSPR to the account`

const timeText = (time: number): string => new Date(time).toISOString()
