import type { Attestation, Feed } from 'wattfeed'
import { type FeedConfig, isDataset } from '../../feeds/file/feedConfig.ts'
import { type FeedStatus, statusOf } from '../../feeds/status/feedStatus.ts'
import { errorFields } from '../../runtime/errorFields.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import { FeedBackfillingError } from '../state/feedPending.ts'

/** A feed that should have a newer value by EIA's calendar. */
export interface LateFeed {
  readonly feedId: string
  /** The newest period on chain; null if it has no value. */
  readonly period: number | null
  /** The newest period that EIA should have released; null if the feed has no value, or one of a future period. */
  readonly expectedPeriod: number | null
  /** When it was due, in epoch milliseconds; null also if the calendar has only a day. */
  readonly dueAt: number | null
  /** The due date in UTC. */
  readonly dueOn: string | null
  /** The result of the last poll: a decision, or the code of an error. */
  readonly lastPoll: string | null
}

/** A feed as read from the chain. */
export interface FeedOnChain {
  readonly feedId: string
  /** Null if it is not registered. */
  readonly feed: Feed | null
  /** Null if it has no value yet. */
  readonly latest: Pick<Attestation, 'period' | 'timestamp'> | null
}

/** How long a registered feed may stay without a first value. */
const FIRST_VALUE_MS = 3_600_000

/** How long a feed may stay without a first poll. Until then, an agent that has just started may still attest its value. */
const FIRST_POLL_MS = 3_600_000

interface Known {
  /** When it was first read from the chain, in epoch milliseconds. */
  readonly since: number
  readonly state: FeedOnChain
  /** When a poll last found EIA's newest value on chain, in epoch milliseconds; 0 before. */
  readonly unchangedAt: number
  /** Its status by `/v1/status`; null without a value. */
  readonly statusAt: ((now: number) => FeedStatus) | null
}

/**
 * Tracks which feeds lack a value, for any reason. A feed is late if `/v1/status` reports it as `late` or `stale`. It is also
 * late if it has a value of a future period without being a forecast, or no value an hour after the first poll.
 *
 * A feed is not late during a backfill, and in the first hour only after its first poll. Nor is a forecast that was polled after
 * its release and had not changed: an edition that leaves the newest value as it was is not attested.
 */
export class LateFeeds {
  #watched: readonly FeedConfig[]
  readonly #now: () => number
  readonly #known = new Map<string, Known>()
  readonly #lastOutcomes = new Map<string, FeedOutcome>()

  /** @param now epoch milliseconds */
  constructor(feeds: readonly FeedConfig[], now: () => number) {
    this.#watched = feeds
    this.#now = now
  }

  read(state: FeedOnChain): void {
    const { since, unchangedAt } = this.#known.get(state.feedId) ?? { since: this.#now(), unchangedAt: 0 }
    this.#note({ since, state, unchangedAt })
  }

  outcome(outcome: FeedOutcome): void {
    this.#lastOutcomes.set(outcome.feedId, outcome)
    const found = this.#known.get(outcome.feedId)
    if (found === undefined) return
    if (outcome.decision === 'unchanged') this.#note({ ...found, unchangedAt: this.#now() })
    const latest = attestedBy(outcome, found.state, this.#now())
    if (latest !== null) this.read({ ...found.state, latest })
  }

  watch(feeds: readonly FeedConfig[]): void {
    this.#watched = feeds
    const ids = new Set(feeds.map(({ feed_id }) => feed_id))
    for (const facts of [this.#known, this.#lastOutcomes])
      for (const feedId of facts.keys()) if (!ids.has(feedId)) facts.delete(feedId)
  }

  /** Returns the feeds that are late now, in the order of the feeds file. */
  list(): LateFeed[] {
    this.#correctTimes()
    return this.#watched.flatMap((feed) => this.#lateOf(feed))
  }

  /** A clock that was ahead must not hide late feeds until the time that it showed. */
  #correctTimes(): void {
    const now = this.#now()
    for (const { state, since, unchangedAt } of [...this.#known.values()])
      if (Math.max(since, unchangedAt) > now)
        this.#note({ state, since: Math.min(since, now), unchangedAt: Math.min(unchangedAt, now) })
  }

  #note(facts: Omit<Known, 'statusAt'>): void {
    this.#known.set(facts.state.feedId, { ...facts, statusAt: statusAtOf(facts) })
  }

  #lateOf(feed: FeedConfig): LateFeed[] {
    const { feed_id: feedId } = feed
    // A dataset may hold forecasts.
    const allowsFuture = isDataset(feed) || feed.allow_future === true
    const now = this.#now()
    const found = this.#known.get(feedId)
    const outcome = this.#lastOutcomes.get(feedId)
    if (found === undefined || found.state.feed === null || outcome?.error instanceof FeedBackfillingError)
      return []
    if (outcome === undefined && now - found.since < FIRST_POLL_MS) return []
    const status = found.statusAt?.(now) ?? null
    if (!isLate(found, status, { now, allowsFuture })) return []
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
}

function statusAtOf({
  state: { feedId, feed, latest },
  unchangedAt,
}: Omit<Known, 'statusAt'>): Known['statusAt'] {
  if (feed === null || latest === null) return null
  const { route, frequency, description } = feed
  const { period, timestamp } = latest
  const updated_at = Math.max(timestamp, unchangedAt)
  return statusOf({ feed_id: feedId, route, frequency, description, period, updated_at })
}

function isLate(
  { since }: Known,
  status: FeedStatus | null,
  { now, allowsFuture }: { now: number; allowsFuture: boolean },
): boolean {
  if (status === null) return now - since >= FIRST_VALUE_MS
  // The calendar has no state, because the period is too far ahead.
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
  // Late periods are not the newest one, which is attested again after them.
  return attested.length === 0 ? null : { period: Math.max(latest?.period ?? 0, ...attested), timestamp }
}

const pollWord = ({ decision, error }: FeedOutcome): string =>
  error === null ? String(decision) : errorFields(error).code
