import type { Attestation } from '../../registry/attestation.ts'
import type { Feed } from '../../registry/feed.ts'
import { errorFields } from '../../runtime/errorFields.ts'
import { type FeedStatus, statusOf } from '../../status/feedStatus.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { FeedBackfillingError } from '../send/feedLocks.ts'

/** A feed that should have a newer value by EIA's calendar. */
export interface LateFeed {
  readonly feedId: string
  /** The newest period on chain; null if there is no value. */
  readonly period: number | null
  /** The newest period that EIA should have released; null where there is no value, or one of a period to come. */
  readonly expectedPeriod: number | null
  /** When that was, in epoch milliseconds; null also where the calendar names a day only. */
  readonly dueAt: number | null
  /** The day of it in UTC, as a date. */
  readonly dueOn: string | null
  /** What the last poll came to: a decision, or the code of an error. */
  readonly lastPoll: string | null
}

/** What the chain holds of a feed. */
export interface FeedOnChain {
  readonly feedId: string
  /** Null if it is not registered. */
  readonly feed: Feed | null
  /** Null if there is no value yet. */
  readonly latest: Pick<Attestation, 'period' | 'timestamp'> | null
}

/** Tracks which feeds lack a value, whatever the cause. */
export interface LateFeeds {
  /** Records what the chain holds of a feed. */
  read(state: FeedOnChain): void
  outcome(outcome: FeedOutcome): void
  /** Records which feeds are watched from now on. */
  watch(feeds: readonly FeedConfig[]): void
  /** Returns the feeds that are late now, in the order of the feeds file. */
  list(): LateFeed[]
}

/** How long a registered feed may stay without a first value. */
const FIRST_VALUE_MS = 3_600_000

interface Known {
  /** When the chain first showed it, in epoch milliseconds. */
  readonly since: number
  readonly state: FeedOnChain
  /** Its status by `/v1/status`; null without a value. */
  readonly statusAt: ((now: number) => FeedStatus) | null
}

/**
 * Creates a record of feeds whose state is not known yet. A feed is late where `/v1/status` calls it `late` or `stale`,
 * where it holds a value of a period to come although it is no forecast, and where it has no value an hour after it was
 * first polled. One that a backfill holds is not late.
 *
 * @param options.now epoch milliseconds
 */
export function createLateFeeds(options: { feeds: readonly FeedConfig[]; now: () => number }): LateFeeds {
  const { now } = options
  let watched = options.feeds
  const known = new Map<string, Known>()
  const lastOutcomes = new Map<string, FeedOutcome>()

  function read(state: FeedOnChain): void {
    const since = known.get(state.feedId)?.since ?? now()
    known.set(state.feedId, { since, state, statusAt: statusAtOf(state) })
  }

  function lateOf({ feed_id: feedId, allow_future = false }: FeedConfig): LateFeed[] {
    const found = known.get(feedId)
    const outcome = lastOutcomes.get(feedId)
    if (found === undefined || found.state.feed === null || outcome?.error instanceof FeedBackfillingError)
      return []
    const status = found.statusAt?.(now()) ?? null
    if (!isLate(found, status, { now: now(), allowsFuture: allow_future })) return []
    const isExpecting = status !== null && status.state !== 'unknown'
    return [
      {
        feedId,
        period: found.state.latest?.period ?? null,
        expectedPeriod: isExpecting ? status.expected_period : null,
        dueAt: isExpecting ? status.due_at : null,
        dueOn: isExpecting ? status.due_on : null,
        lastPoll: outcome === undefined ? null : pollWord(outcome),
      },
    ]
  }

  return {
    read,
    outcome(outcome) {
      lastOutcomes.set(outcome.feedId, outcome)
      const found = known.get(outcome.feedId)
      if (found === undefined) return
      const latest = attestedBy(outcome, found.state, now())
      if (latest !== null) read({ ...found.state, latest })
    },
    watch(feeds) {
      watched = feeds
      const ids = new Set(feeds.map(({ feed_id }) => feed_id))
      for (const facts of [known, lastOutcomes])
        for (const feedId of facts.keys()) if (!ids.has(feedId)) facts.delete(feedId)
    },
    list: () => watched.flatMap(lateOf),
  }
}

function statusAtOf({ feedId, feed, latest }: FeedOnChain): Known['statusAt'] {
  if (feed === null || latest === null) return null
  const { route, frequency, description } = feed
  const { period, timestamp: updated_at } = latest
  return statusOf({ feed_id: feedId, route, frequency, description, period, updated_at })
}

function isLate(
  { since }: Known,
  status: FeedStatus | null,
  { now, allowsFuture }: { now: number; allowsFuture: boolean },
): boolean {
  if (status === null) return now - since >= FIRST_VALUE_MS
  // A calendar without a state: the period lies too far ahead.
  if (status.state === 'unknown') return status.cadence !== null && !allowsFuture
  return status.state === 'late' || status.state === 'stale'
}

/** Returns the newest value after a cycle; null if the cycle attested none. */
function attestedBy(
  { decision, result, transactionHashes, caughtUp }: FeedOutcome,
  { latest }: FeedOnChain,
  timestamp: number,
): FeedOnChain['latest'] {
  const isWritten = decision === 'new-period' || decision === 'revision'
  const newest = isWritten && result !== null && transactionHashes.length > 0 ? [result.period] : []
  const attested = [...caughtUp, ...newest]
  // Periods that came late are not the newest, which is attested again behind them.
  return attested.length === 0 ? null : { period: Math.max(latest?.period ?? 0, ...attested), timestamp }
}

const pollWord = ({ decision, error }: FeedOutcome): string =>
  error === null ? String(decision) : errorFields(error).code
