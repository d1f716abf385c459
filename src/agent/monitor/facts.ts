import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import type { FeedsFileState } from '../../feeds/file/feedsFile.ts'
import type { ClockReading } from '../../runtime/clocks.ts'
import type { NotKept } from '../datasets/snapshotArchive.ts'
import { type FeedOutcome, transactionOf } from '../feedOutcome.ts'
import type { OtherAttestation } from '../look/otherWriter.ts'
import { FeedBackfillingError, FeedPendingError } from '../state/feedPending.ts'
import type { CommitteeFacts } from './committeeWatch.ts'
import type { LateFeed } from './lateFeeds.ts'

/** A span in which each poll found that the chain has a later period than EIA, in milliseconds of the monotonic clock. */
export interface OlderSpan {
  readonly firstSteadyMs: number
  readonly lastSteadyMs: number
}

/** One moment by both clocks. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number
  /** Milliseconds of a monotonic clock. */
  readonly steadyMs: number
}

/**
 * Returns a past moment of the monotonic clock in epoch milliseconds, by this machine's clock as it is now: it may have been
 * wrong then. Null stays null.
 */
export const timeOf = <T extends number | null>(steadyMs: T, at: Moment): T | number =>
  steadyMs === null ? steadyMs : at.now - (at.steadyMs - steadyMs)

/** What is known of a feed that was tried. */
export interface FeedFacts {
  /** Whether the last attempt failed, even if only because a backfill is running. */
  readonly hasFailed: boolean
  /** Number of periods that EIA has and the chain lacks. */
  readonly missing: number
  /** Number of periods that the chain lacks between its newest values; null before the first search. */
  readonly gaps: number | null
  readonly lastSuccessSteadyMs: number | null
}

/**
 * The facts behind an agent's health and gauges, as plain data: `watchAgent` assigns single facts, and the functions below make
 * the changes that touch several. Times are epoch milliseconds; those named `…SteadyMs` are of the monotonic clock.
 */
export class AgentFacts {
  readonly startedSteadyMs: number
  /** When something last worked, reading a dataset included. */
  workedSteadyMs: number
  /** The feeds that failed when something last worked. They do not show that nothing works any more. */
  failedMeanwhile: ReadonlySet<string> = new Set()
  lastSuccessSteadyMs: number | null = null
  /** When a transaction was last executed. */
  executedSteadyMs = Number.NEGATIVE_INFINITY
  /** Since when a feed's due values cannot be sent, by feed id. */
  readonly unsentSteadyMs = new Map<string, number>()
  lastCycleSteadyMs: number | null = null
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
  otherValues: readonly (OtherAttestation & { foundSteadyMs: number })[] = []
  notArchived: readonly NotArchived[] = []
  throttledUntil: number | null = null
  pendingTransactions = 0
  balanceMotes: bigint | null = null
  /** The protocol version of the network that was read last; null before the first. */
  protocolVersion: string | null = null
  balanceDays: number | null = null
  /** Charge per attestation of the newest executed transaction, in motes. */
  attestationCost: number | null = null
  /** Null for an agent that signs alone. */
  committee: CommitteeFacts | null = null

  constructor(feeds: readonly FeedConfig[], steadyMs: number) {
    this.startedSteadyMs = steadyMs
    this.workedSteadyMs = steadyMs
    this.feeds = feeds
  }
}

/** Notes that a transaction was executed with success. */
export function noteExecuted(facts: AgentFacts, steadyMs: number): void {
  facts.executedSteadyMs = steadyMs
  noteSuccess(facts, steadyMs)
}

/** Returns since when due values cannot be sent; null if none is due, or a transaction was executed since. */
export function unsentSince({ unsentSteadyMs, executedSteadyMs }: AgentFacts): number | null {
  const since = [...unsentSteadyMs.values()].filter((steadyMs) => steadyMs > executedSteadyMs)
  return since.length === 0 ? null : Math.min(...since)
}

function noteSuccess(facts: AgentFacts, steadyMs: number): void {
  facts.lastSuccessSteadyMs = steadyMs
  facts.workedSteadyMs = steadyMs
  facts.failedMeanwhile = new Set(facts.failures.keys())
}

/** Notes that a dataset is being read. An agent may do nothing else for an hour. */
export function noteReading(facts: AgentFacts, steadyMs: number): void {
  // It does not show that values can be sent.
  if (unsentSince(facts) === null) facts.workedSteadyMs = steadyMs
}

/** Notes the outcome of a feed in a cycle. */
export function noteOutcome(facts: AgentFacts, outcome: FeedOutcome, steadyMs: number): void {
  const { feedId, error, missing } = outcome
  const { failures, byFeed, older } = facts
  const known = byFeed.get(feedId)
  byFeed.set(feedId, {
    hasFailed: error !== null,
    missing,
    gaps: outcome.gaps?.length ?? known?.gaps ?? null,
    lastSuccessSteadyMs: error === null ? steadyMs : (known?.lastSuccessSteadyMs ?? null),
  })
  // A running backfill is not a failure.
  if (error === null || error instanceof FeedBackfillingError) failures.delete(feedId)
  else failures.set(feedId, error)
  noteUnsent(facts, outcome, steadyMs)
  if (error !== null) return
  if (transactionOf(outcome) !== null) noteExecuted(facts, steadyMs)
  // A feed without a due value does not show that values can be sent.
  else if (unsentSince(facts) === null) noteSuccess(facts, steadyMs)
  if (outcome.decision !== 'older-than-chain') older.delete(feedId)
  else
    older.set(feedId, {
      firstSteadyMs: older.get(feedId)?.firstSteadyMs ?? steadyMs,
      lastSteadyMs: steadyMs,
    })
}

/** Notes whether a feed's due values could not be sent. A failure before they were planned, and a pending transaction, show nothing. */
function noteUnsent(
  { unsentSteadyMs }: AgentFacts,
  { feedId, error, gaps }: FeedOutcome,
  steadyMs: number,
): void {
  const isPlanned = gaps !== null
  if (error === null || error instanceof FeedBackfillingError) unsentSteadyMs.delete(feedId)
  else if (isPlanned && !(error instanceof FeedPendingError) && !unsentSteadyMs.has(feedId))
    unsentSteadyMs.set(feedId, steadyMs)
}

/** How long another program's attestation is reported in `/health` after it was found. */
const OTHER_WRITER_MS = 24 * 3_600_000

/** Returns the attestations of another program that were found within a day. */
export const otherValuesAt = ({ otherValues }: AgentFacts, steadyMs: number): AgentFacts['otherValues'] =>
  otherValues.filter(({ foundSteadyMs }) => steadyMs - foundSteadyMs < OTHER_WRITER_MS)

export function noteOtherValues(
  facts: AgentFacts,
  values: readonly OtherAttestation[],
  foundSteadyMs: number,
): void {
  const found = values.map((each) => ({ ...each, foundSteadyMs }))
  facts.otherValues = [...otherValuesAt(facts, foundSteadyMs), ...found]
}

/** A snapshot that the archive should keep, and does not. */
export interface NotArchived extends NotKept {
  readonly feedId: string
  readonly foundSteadyMs: number
}

/** How long such a snapshot is reported in `/health`. */
const NOT_ARCHIVED_MS = 7 * 24 * 3_600_000

/** Returns the snapshots that were lost to the archive within a week. */
export const notArchivedAt = ({ notArchived }: AgentFacts, steadyMs: number): readonly NotArchived[] =>
  notArchived.filter(({ foundSteadyMs }) => steadyMs - foundSteadyMs < NOT_ARCHIVED_MS)

export function noteNotArchived(
  facts: AgentFacts,
  feedId: string,
  snapshots: readonly NotKept[],
  foundSteadyMs: number,
): void {
  const found = snapshots.map((each) => ({ ...each, feedId, foundSteadyMs }))
  facts.notArchived = [...notArchivedAt(facts, foundSteadyMs), ...found]
}

/** Notes which feeds are watched from now on, and forgets the others. */
export function noteFeeds(facts: AgentFacts, feeds: readonly FeedConfig[]): void {
  facts.feeds = feeds
  const ids = new Set(feeds.map(({ feed_id }) => feed_id))
  for (const known of [facts.failures, facts.byFeed, facts.older, facts.lost, facts.unsentSteadyMs])
    for (const feedId of known.keys()) if (!ids.has(feedId)) known.delete(feedId)
}
