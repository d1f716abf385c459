import type { EiaClient } from '../../eia/createEiaClient.ts'
import { EiaRowsMovedError } from '../../eia/listRowsSince.ts'
import { encodePeriod, isNextPeriod } from '../../eia/period.ts'
import type { EiaRow, Series } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import type { Attestation } from '../../registry/attestation.ts'
import { GAP_LIMIT, listGaps } from '../../status/gaps.ts'
import { type DecisionResult, decide, isWritten } from '../decide.ts'
import type { Known } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import type { BatchOptions } from '../outbox/attestCall.ts'
import { assertUnit, type DecisionInputOptions, readDecisionInput } from './decisionInput.ts'
import type { LastPrints } from './lastPrints.ts'
import { isOutOfPlace } from './newestRow.ts'
import { attestRows, type PlanInput } from './plan.ts'

export interface PlanInputOptions extends DecisionInputOptions, BatchOptions {
  eia: Pick<EiaClient, 'listNewestRows' | 'listRowsSince'>
  /** `CATCH_UP` */
  catchUp: number
  /** `LOOK_BACK` */
  lookBack: number
  /** The most transactions of a feed: the others wait for them. @default no limit */
  maxSteps?: number
  lastPrints: LastPrints
  /** Called with what is known of the feed, each time that it is more. */
  onKnown: (known: Known) => void
}

/** How many periods are searched for those that the chain lacks: hours of a year and more. */
const MAX_GAP = 10_000

/** How many rows are searched for the first value of a feed whose newest row has none. */
const MAX_FIRST_ROWS = 100

/**
 * Reads a feed on chain and at EIA: its newest row, and the earlier ones that the chain may lack or hold otherwise.
 *
 * @throws {EiaRowsMovedError} if EIA no longer lists the newest row.
 * @throws {ChainMovedError} and what {@link readDecisionInput}, {@link decide} and the EIA client throw.
 */
export async function readPlanInput(feed: FeedConfig, options: PlanInputOptions): Promise<PlanInput> {
  const { offersMany, paymentMotes, catchUp, maxSteps } = options
  const { row, series, latest } = await readDecisionInput(feed, options)
  const decided = (row: EiaRow): Newest => {
    options.onKnown({ row, result: null })
    const newest = { row, result: decide({ row, feed, latest, now: options.now() }) }
    options.onKnown(newest)
    return newest
  }
  const first = decided(row)
  const look: Look = { feed, series, latest, options }
  const missed = await listMissed(first, look)
  const [latestRow = row] = missed
  assertUnit(latestRow, feed)
  const newest = missed.length === 0 ? first : decided(latestRow)
  const earlier = await listEarlier(newest, look)
  const begun = await listFirst(newest, earlier, look)
  const { prints, gaps } = await readPast(earlier, look)
  const late = (await listLate(gaps, look)).filter((each) => !earlier.some(isSamePeriod(each)))
  const compared =
    missed.length === 0 ? earlier : [...missed.slice(1), ...earlier.filter(isUpTo(latest, feed))]
  return {
    feed,
    latest,
    newest,
    rows: [...compared, ...begun, ...late],
    prints,
    gaps,
    maxPeriods: Math.max(catchUp, earlier.length, begun.length),
    maxSteps,
    batch: { offersMany, paymentMotes },
    now: options.now(),
  }
}

/** What is known when earlier rows are looked for. */
interface Look {
  feed: FeedConfig
  /** What EIA is asked for. */
  series: Series
  latest: Attestation | null
  options: PlanInputOptions
}

/** Whether the newest row says nothing about earlier ones: it is a forecast, or EIA no longer has what the chain has. */
const isApart = ({ result: { decision } }: Newest): boolean =>
  decision === 'future-period' || decision === 'older-than-chain'

type Newest = PlanInput['newest'] & { row: EiaRow; result: DecisionResult }

const isUpTo =
  (latest: Attestation | null, { frequency }: FeedConfig) =>
  ({ period }: EiaRow): boolean =>
    latest !== null && encodePeriod(frequency, period) <= latest.period

/** Lists the rows that are later than the chain's newest period, newest first; none if the newest row is the next. */
async function listMissed(
  newest: Newest,
  { feed, series, latest, options }: Look,
): Promise<readonly EiaRow[]> {
  const { eia, catchUp, stop: signal, warnOnce, now } = options
  const { row, result } = newest
  if (catchUp === 0 || latest === null || isApart(newest) || result.period <= latest.period) return []
  if (isNextPeriod(feed.frequency, latest.period, result.period)) return []
  const listed = { since: latest.period, signal }
  const few = await eia.listRowsSince(series, { ...listed, most: catchUp + 1 })
  const { rows, isComplete } = few.isComplete
    ? few
    : await eia.listRowsSince(series, { ...listed, most: MAX_GAP })
  assertListed(rows, row, feed)
  if (!isComplete)
    warnOnce(
      feed.feed_id,
      `more than ${rows.length} periods are missing: only the newest of them are attested`,
    )
  return rows.filter((each) => !isOutOfPlace(each, feed, now()))
}

/** Lists the rows before the newest that are compared with the chain. */
async function listEarlier(newest: Newest, { feed, series, options }: Look): Promise<readonly EiaRow[]> {
  const { eia, lookBack, offersMany, stop: signal, warnOnce } = options
  const periods = feed.look_back ?? lookBack
  if (periods === 0 || isApart(newest)) return []
  if (!offersMany) {
    warnOnce(
      feed.feed_id,
      'look_back is ignored, because the AttestationRegistry has no attest_many: upgrade it with "contracts upgrade"',
    )
    return []
  }
  const rows = await eia.listNewestRows(series, { length: periods + 1, signal })
  assertListed(rows, newest.row, feed)
  return rows.filter(({ period }) => encodePeriod(feed.frequency, period) < newest.result.period)
}

/** Returns the newest row with a value, for a feed that has none on chain and whose newest row has none either. */
async function listFirst(
  newest: Newest,
  earlier: readonly EiaRow[],
  { feed, series, latest, options }: Look,
): Promise<readonly EiaRow[]> {
  const { eia, stop: signal, now } = options
  if (latest !== null || isWritten(newest.result) || isApart(newest)) return []
  const newestValue = (rows: readonly EiaRow[]) => attestRows(rows, { feed, now: now() }).attestations.at(-1)
  if (newestValue(earlier) !== undefined) return []
  const found = newestValue(await eia.listNewestRows(series, { length: MAX_FIRST_ROWS, signal }))
  return found === undefined ? [] : [found.row]
}

/**
 * Lists EIA's rows of periods that the chain lacks. An error leaves them missing: it is none of the newest value's, and
 * they are looked for again.
 */
async function listLate(
  gaps: readonly number[],
  { feed, series, options }: Look,
): Promise<readonly EiaRow[]> {
  const { eia, catchUp, offersMany, stop: signal, warnOnce, now } = options
  const [oldest] = gaps
  if (oldest === undefined || catchUp === 0 || !offersMany) return []
  try {
    const { rows } = await eia.listRowsSince(series, {
      since: oldest - 1,
      most: MAX_GAP,
      pageLength: 2 * GAP_LIMIT,
      signal,
    })
    const isMissing = ({ period }: EiaRow) => gaps.includes(encodePeriod(feed.frequency, period))
    // Rows without a number must not use up what a cycle catches up, or no later one would ever be attested.
    const { attestations } = attestRows(rows.filter(isMissing), { feed, now: now() })
    return attestations.slice(0, catchUp).map(({ row }) => row)
  } catch (error) {
    if (!(error instanceof WattfeedError)) throw error
    if (!error.retryable)
      warnOnce(feed.feed_id, `periods that the chain lacks cannot be looked for: ${error.message}`)
    return []
  }
}

const isSamePeriod =
  ({ period }: EiaRow) =>
  (other: EiaRow): boolean =>
    other.period === period

/** One of EIA's servers may be behind another: what it lists must not be taken for what there is. */
function assertListed(rows: readonly EiaRow[], { period }: EiaRow, { route }: FeedConfig): void {
  if (!rows.some((each) => each.period === period)) throw new EiaRowsMovedError(route)
}

/** Reads what the chain holds of rows that are not later than its newest value, and which periods it lacks. */
async function readPast(
  rows: readonly EiaRow[],
  { feed, latest, options: { lastPrints } }: Look,
): Promise<Pick<PlanInput, 'prints' | 'gaps'>> {
  if (latest === null) return { prints: new Map(), gaps: [] }
  const { feed_id, frequency } = feed
  const periods = rows.filter(isUpTo(latest, feed)).map(({ period }) => encodePeriod(frequency, period))
  const past = await lastPrints.read(feed_id, latest, periods)
  return { prints: past.prints, gaps: listGaps(frequency, past) }
}
