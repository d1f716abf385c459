import { type FeedOutcome, transactionOf } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { FeedsFileState } from '../feeds/feedsFile.ts'
import type { OtherAttestation } from '../look/otherWriter.ts'
import { FeedBackfillingError, FeedPendingError } from '../state/feedPending.ts'
import type { ClockReading } from './clocks.ts'
import type { CommitteeFacts } from './committeeWatch.ts'
import type { LateFeed } from './lateFeeds.ts'

/** A span in which each poll found that the chain has a later period than EIA. */
export interface OlderSpan {
  /** Epoch milliseconds. */
  readonly since: number
  /** Both by the monotonic clock. */
  readonly firstMs: number
  readonly lastMs: number
}

/** One moment by both clocks. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number
  /** Milliseconds of a monotonic clock. */
  readonly steadyMs: number
}

/** What is known of a feed that was tried. */
export interface FeedFacts {
  /** Whether the last attempt failed, even if only because a backfill is running. */
  readonly hasFailed: boolean
  /** Number of periods that EIA has and the chain lacks. */
  readonly missing: number
  /** Number of periods that the chain lacks between its newest values; null before the first search. */
  readonly gaps: number | null
  readonly lastSuccessAt: number | null
}

/** The facts behind an agent's health and gauges. Times are epoch milliseconds unless stated otherwise. */
export class AgentFacts {
  readonly startedAt: number
  /** When something last worked, by the monotonic clock. */
  workedMs: number
  lastSuccessAt: number | null = null
  /** When a transaction was last executed, by the monotonic clock. */
  executedMs = Number.NEGATIVE_INFINITY
  /** Since when a feed's due values cannot be sent, by feed id. */
  readonly unsent = new Map<string, Moment>()
  lastCycleAt: number | null = null
  lastCycleMs: number | null = null
  feeds: readonly FeedConfig[]
  feedsFile: FeedsFileState | null = null
  /** The errors of feeds that failed when last tried, by feed id. */
  readonly failures = new Map<string, Error>()
  /** The feeds that were tried, by id. */
  readonly byFeed = new Map<string, FeedFacts>()
  readonly older = new Map<string, OlderSpan>()
  /** Periods that the chain lacks and that are too old to be requested, by feed id; only feeds that have some. */
  readonly lost = new Map<string, readonly string[]>()
  /** Null before the first review. */
  late: readonly LateFeed[] | null = null
  clocks: readonly ClockReading[] = []
  otherValues: readonly (OtherAttestation & { foundAt: number })[] = []
  throttledUntil: number | null = null
  pendingTransactions = 0
  balanceMotes: bigint | null = null
  balanceDays: number | null = null
  /** Charge per attestation of the newest executed transaction, in motes. */
  attestationCost: number | null = null
  /** Null for an agent that signs alone. */
  committee: CommitteeFacts | null = null

  constructor(feeds: readonly FeedConfig[], { now, steadyMs }: Moment) {
    this.startedAt = now
    this.workedMs = steadyMs
    this.feeds = feeds
  }
}

/** Notes that a transaction was executed with success. */
export function noteExecuted(facts: AgentFacts, moment: Moment): void {
  facts.executedMs = moment.steadyMs
  noteSuccess(facts, moment)
}

/** Returns since when due values cannot be sent; null if none is due, or a transaction was executed since. */
export function unsentSince({ unsent, executedMs }: AgentFacts): number | null {
  const since = [...unsent.values()].flatMap(({ now, steadyMs }) => (steadyMs > executedMs ? [now] : []))
  return since.length === 0 ? null : Math.min(...since)
}

function noteSuccess(facts: AgentFacts, { now, steadyMs }: Moment): void {
  facts.lastSuccessAt = now
  facts.workedMs = steadyMs
}

/** Notes the outcome of a feed in a cycle. */
export function noteOutcome(facts: AgentFacts, outcome: FeedOutcome, moment: Moment): void {
  const { feedId, error, missing } = outcome
  const { failures, byFeed, older } = facts
  const known = byFeed.get(feedId)
  byFeed.set(feedId, {
    hasFailed: error !== null,
    missing,
    gaps: outcome.gaps?.length ?? known?.gaps ?? null,
    lastSuccessAt: error === null ? moment.now : (known?.lastSuccessAt ?? null),
  })
  // A running backfill is not a failure.
  if (error === null || error instanceof FeedBackfillingError) failures.delete(feedId)
  else failures.set(feedId, error)
  noteUnsent(facts, outcome, moment)
  if (error !== null) return
  if (transactionOf(outcome) !== null) noteExecuted(facts, moment)
  // A feed without a due value does not show that values can be sent.
  else if (unsentSince(facts) === null) noteSuccess(facts, moment)
  const { now: since, steadyMs } = moment
  if (outcome.decision !== 'older-than-chain') older.delete(feedId)
  else older.set(feedId, { since, firstMs: steadyMs, ...older.get(feedId), lastMs: steadyMs })
}

/** Notes whether a feed's due values could not be sent. A pending transaction changes nothing. */
function noteUnsent({ unsent }: AgentFacts, { feedId, error, gaps }: FeedOutcome, moment: Moment): void {
  if (error instanceof FeedPendingError) return
  // A feed that failed before its values were planned has no list of gaps.
  const isUnsent = error !== null && !(error instanceof FeedBackfillingError) && gaps !== null
  if (!isUnsent) unsent.delete(feedId)
  else unsent.set(feedId, unsent.get(feedId) ?? moment)
}

/** How long another program's attestation is reported in `/health` after it was found. */
const OTHER_WRITER_MS = 24 * 3_600_000

/** Returns the attestations of another program that were found within a day. */
export const otherValuesAt = ({ otherValues }: AgentFacts, now: number): AgentFacts['otherValues'] =>
  otherValues.filter(({ foundAt }) => now - foundAt < OTHER_WRITER_MS)

export function noteOtherValues(
  facts: AgentFacts,
  values: readonly OtherAttestation[],
  foundAt: number,
): void {
  const found = values.map((each) => ({ ...each, foundAt }))
  facts.otherValues = [...otherValuesAt(facts, foundAt), ...found]
}

/** Notes which feeds are watched from now on, and forgets the others. */
export function noteFeeds(facts: AgentFacts, feeds: readonly FeedConfig[]): void {
  facts.feeds = feeds
  const ids = new Set(feeds.map(({ feed_id }) => feed_id))
  for (const known of [facts.failures, facts.byFeed, facts.older, facts.lost, facts.unsent])
    for (const feedId of known.keys()) if (!ids.has(feedId)) known.delete(feedId)
}
