import { readablePeriod } from '@wattfeed/eia'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import type { FeedsFileState } from '../../feeds/file/feedsFile.ts'
import { type ClockReading, isClockOff } from '../../runtime/clocks.ts'
import { errorFields } from '../../runtime/errorFields.ts'
import { longestPauseMs, type Pace } from '../intervals.ts'
import { committeeReasons } from './committeeReasons.ts'
import { type AgentFacts, type Moment, notArchivedAt, otherValuesAt, timeOf, unsentSince } from './facts.ts'
import type { LateFeed } from './lateFeeds.ts'

export interface HealthReason {
  /**
   * The code of the feeds' error, or `nothing_works`, `late`, `gaps`, `older_than_chain`, `throttled`, `clock`,
   * `another_writer`, `low_balance`, `feeds_file`, `not_archived`, `committee`, `signs_nothing`, `member_absent`, `equivocation`,
   * `no_common_root`.
   */
  code: string
  message: string
  feed_ids?: readonly string[]
}

/** The report of `/health`. All times are epoch milliseconds. */
export interface AgentHealth {
  status: 'ok' | 'degraded'
  service: 'wattfeed-agent'
  /** None while the status is `ok`. */
  reasons: readonly HealthReason[]
  feeds: number
  failing: number
  /** When the last cycle ended; null before the first. */
  last_cycle_at: number | null
  /** When a feed was last decided, while due values can be sent, or a transaction executed; null before. */
  last_success_at: number | null
  pending_transactions: number
  /** Periods that the chain lacks and that are too old for the agent to request, by feed id, in EIA's form; hours in UTC. */
  lost_periods: Readonly<Record<string, readonly string[]>>
  /** Days until the balance is spent at the current rate; null while the rate is unknown. */
  balance_days: number | null
  /** The current feeds file; null for the built-in feeds. */
  feeds_file: FeedsFileState | null
}

/** The report, and whether anything works. */
export interface HealthReport {
  /** False if nothing has worked for longer than {@link allowedMs}: HTTP 503. */
  isWorking: boolean
  health: AgentHealth
}

interface Facts extends AgentFacts, Moment {
  readonly isWorking: boolean
}

/** Each rule returns its reasons; none if all is well. */
const rules: readonly ((facts: Facts) => HealthReason[])[] = [
  nothingWorks,
  lateFeeds,
  failingFeeds,
  gapsOfFeeds,
  olderThanChain,
  throttling,
  wrongClock,
  anotherWriter,
  lowBalance,
  invalidFeedsFile,
  notArchived,
  ({ committee, now }) => (committee === null ? [] : committeeReasons(committee, now)),
]

/** A balance for fewer days is a reason in `/health`. */
export const LOW_BALANCE_DAYS = 14

/** How long EIA may show an earlier period than the chain, because one of its servers may lag. */
const OLDER_ALLOWED_MS = 60 * 60_000

// A cycle may wait two minutes each for an earlier and for a new transaction, and a minute for EIA.
const MIN_ALLOWED_MS = 10 * 60_000

/**
 * Returns how long an agent may be without any success, in milliseconds: twice the interval of the most frequent of these feeds, and
 * at least ten minutes.
 */
export const allowedMs = (feeds: readonly FeedConfig[], pace: Pace): number =>
  Math.max(MIN_ALLOWED_MS, 2 * Math.min(...feeds.map((feed) => longestPauseMs(feed, pace))))

/** Returns the report of `/health` at a moment. */
export function healthOf(facts: AgentFacts, moment: Moment, pace: Pace): HealthReport {
  const { feeds, failedMeanwhile } = facts
  // A feed that also failed while others worked is no sign that these do not, and would let the status change back and forth.
  const telling = feeds.filter(({ feed_id }) => !failedMeanwhile.has(feed_id))
  const limitMs = allowedMs(telling.length === 0 ? feeds : telling, pace)
  const isWorking = moment.steadyMs - facts.workedSteadyMs <= limitMs
  const reasons = rules.flatMap((rule) => rule({ ...facts, ...moment, isWorking }))
  return {
    isWorking,
    health: {
      status: reasons.length === 0 ? 'ok' : 'degraded',
      service: 'wattfeed-agent',
      reasons,
      feeds: facts.feeds.length,
      failing: facts.failures.size,
      last_cycle_at: timeOf(facts.lastCycleSteadyMs, moment),
      last_success_at: timeOf(facts.lastSuccessSteadyMs, moment),
      pending_transactions: facts.pendingTransactions,
      lost_periods: Object.fromEntries(facts.lost),
      balance_days: facts.balanceDays,
      feeds_file: facts.feedsFile,
    },
  }
}

function nothingWorks(facts: Facts): HealthReason[] {
  if (facts.isWorking) return []
  const unsent = unsentSince(facts)
  const sinceMs = unsent ?? facts.lastSuccessSteadyMs ?? facts.startedSteadyMs
  const what =
    unsent === null ? 'no feed was decided and no transaction executed' : 'no due value could be sent'
  const message = `${what} since ${timeText(timeOf(sinceMs, facts))}`
  return [{ code: 'nothing_works', message }]
}

function lateFeeds({ late }: Facts): HealthReason[] {
  const [first] = late ?? []
  if (late === null || first === undefined) return []
  const message = `${first.feedId}: ${lateText(first)}${andMore(late)}; run "feeds check ${first.feedId}": ${lateCure(first)}`
  return [{ code: 'late', message, feed_ids: late.map(({ feedId }) => feedId) }]
}

const lateCure = ({ period, expectedPeriod }: LateFeed): string =>
  period !== null && expectedPeriod === null
    ? 'EIA showed a wrong period, or the feed has forecasts and lacks "allow_future"'
    : 'if EIA has a newer value, the log says why it is not attested; otherwise EIA is late'

const lateText = (feed: LateFeed): string =>
  `${lackText(feed)}${feed.lastPoll === null ? '' : ` (last poll: ${feed.lastPoll})`}`

function lackText({ period, expectedPeriod, dueAt, dueOn }: LateFeed): string {
  if (period === null) return 'no value on chain'
  if (expectedPeriod === null)
    return `the newest value on chain is of the future period ${readablePeriod(period)}`
  const due = dueAt === null ? dueOn : timeText(dueAt)
  // A forecast has future periods, and each release replaces it.
  if (period >= expectedPeriod)
    return `the newest value on chain, of period ${readablePeriod(period)}, is older than EIA's release of ${due}`
  return `the newest value on chain is of period ${readablePeriod(period)}, and EIA's calendar expects ${readablePeriod(expectedPeriod)} since ${due}`
}

/** One reason for each code, in the order of the first feed. */
function failingFeeds({ failures }: Facts): HealthReason[] {
  const byCode = Map.groupBy(failures, ([, error]) => errorFields(error).code)
  return [...byCode].map(([code, failed]) => {
    const [[feedId, error] = ['', new Error(code)]] = failed
    return {
      code,
      message: `${feedId}: ${errorFields(error).message}${andMore(failed)}`,
      feed_ids: failed.map(([feedId]) => feedId),
    }
  })
}

const andMore = ({ length }: readonly unknown[]): string => (length === 1 ? '' : `, and ${length - 1} more`)

function gapsOfFeeds({ byFeed }: Facts): HealthReason[] {
  const found = [...byFeed].filter(([, { missing }]) => missing > 0)
  if (found.length === 0) return []
  const periods = found.reduce((sum, [, { missing }]) => sum + missing, 0)
  const message = `${periods} periods that EIA has are not on chain yet`
  return [{ code: 'gaps', message, feed_ids: found.map(([feedId]) => feedId) }]
}

function olderThanChain({ older, ...moment }: Facts): HealthReason[] {
  const lasting = [...older].filter(
    ([, { firstSteadyMs, lastSteadyMs }]) => lastSteadyMs - firstSteadyMs >= OLDER_ALLOWED_MS,
  )
  if (lasting.length === 0) return []
  const since = timeOf(Math.min(...lasting.map(([, each]) => each.firstSteadyMs)), moment)
  const feed_ids = lasting.map(([feedId]) => feedId)
  const message = `EIA's newest period is earlier than the chain's for ${feed_ids[0]}${andMore(feed_ids)} since ${timeText(since)}: EIA withdrew a value, or showed a wrong one; compare both with "feeds list" and "feeds check"`
  return [{ code: 'older_than_chain', message, feed_ids }]
}

/** Returns nothing if feeds have failed because of the rate limit, because their reason already says so. */
function throttling({ now, throttledUntil, failures }: Facts): HealthReason[] {
  const isKnown = [...failures.values()].some((error) => errorFields(error).code === 'throttled')
  if (throttledUntil === null || now >= throttledUntil || isKnown) return []
  const message = `rate limited by EIA: no request is sent until ${timeText(throttledUntil)}`
  return [{ code: 'throttled', message }]
}

function wrongClock({ clocks }: Facts): HealthReason[] {
  const off = clocks.filter(isClockOff)
  const [first] = off
  if (first === undefined) return []
  return [{ code: 'clock', message: clockText(first, { off: off.length, all: clocks.length }) }]
}

/** Says by how much a clock differs, and what to do. */
export function clockText(
  { localMs, host, serverMs }: ClockReading,
  { off, all }: { off: number; all: number },
): string {
  const times = `this machine's clock shows ${timeText(localMs)}, but that of ${host} shows ${timeText(serverMs)}`
  const cure =
    off === all
      ? 'set the clock of this machine, by NTP for example'
      : `${off} of ${all} servers differ: set the clock of this machine if it is wrong, else remove the server from CASPER_RPC_URL`
  return `${times}; ${cure}`
}

function anotherWriter(facts: Facts): HealthReason[] {
  const otherValues = otherValuesAt(facts, facts.steadyMs)
  const newest = otherValues.at(-1)
  if (newest === undefined) return []
  const { feedId, value } = newest
  const message = `the state folder has no record of sending values that its account attested: ${feedId}, period ${readablePeriod(value.period)}, amount ${value.amount}, at ${timeText(value.timestamp)}${andMore(otherValues)}; stop any other agent with this account, which may attest values twice; if the folder was restored from a copy, they may be its own`
  return [{ code: 'another_writer', message, feed_ids: [...new Set(otherValues.map((each) => each.feedId))] }]
}

function lowBalance({ balanceDays: days }: Facts): HealthReason[] {
  if (days === null || days >= LOW_BALANCE_DAYS) return []
  const message = `the balance lasts for ${days.toFixed(1)} days at the present rate: send CSPR to the account`
  return [{ code: 'low_balance', message }]
}

function notArchived(facts: Facts): HealthReason[] {
  const lost = notArchivedAt(facts, facts.steadyMs)
  const newest = lost.at(-1)
  if (newest === undefined) return []
  const { feedId, root, why } = newest
  const message = `the archive does not keep the snapshot of ${feedId} with the root ${root}: ${why}${andMore(lost)}; nobody can read as of its time from this folder: free some space, or set KEEP_ARCHIVED to fewer`
  return [{ code: 'not_archived', message, feed_ids: [...new Set(lost.map((each) => each.feedId))] }]
}

function invalidFeedsFile({ feedsFile }: Facts): HealthReason[] {
  return feedsFile?.error ? [{ code: 'feeds_file', message: feedsFile.error }] : []
}

const timeText = (time: number): string => new Date(time).toISOString()
