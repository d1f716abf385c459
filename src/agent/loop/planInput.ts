import type { EiaClient } from '../../eia/createEiaClient.ts'
import { EiaRowsMovedError } from '../../eia/listRowsSince.ts'
import { encodePeriod, isNextPeriod } from '../../eia/period.ts'
import type { EiaRow } from '../../eia/series.ts'
import type { Attestation } from '../../registry/attestation.ts'
import { type DecisionInput, type DecisionResult, decide } from '../decide.ts'
import type { Known } from '../feedOutcome.ts'
import { type FeedConfig, seriesOf } from '../feeds/feedConfig.ts'
import type { BatchOptions } from '../outbox/attestCall.ts'
import { assertUnit, type DecisionInputOptions, readDecisionInput } from './decisionInput.ts'
import type { LastPrints } from './lastPrints.ts'
import type { PlanInput } from './plan.ts'

export interface PlanInputOptions extends DecisionInputOptions, BatchOptions, Pick<DecisionInput, 'hash'> {
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

/** The most periods that are looked through for the oldest that the chain lacks: hours of a year and more. */
const MAX_GAP = 10_000

/**
 * Reads a feed on chain and at EIA: its newest row, and the earlier ones that the chain may lack or hold otherwise.
 *
 * @throws {EiaRowsMovedError} if EIA no longer lists the newest row.
 * @throws {ChainMovedError} and what {@link readDecisionInput}, {@link decide} and the EIA client throw.
 */
export async function readPlanInput(feed: FeedConfig, options: PlanInputOptions): Promise<PlanInput> {
  const { offersMany, paymentMotes, catchUp, maxSteps, hash } = options
  const { row, latest } = await readDecisionInput(feed, options)
  const decided = (row: EiaRow): Newest => {
    options.onKnown({ row, result: null })
    const newest = { row, result: decide({ row, feed, latest, now: options.now(), hash }) }
    options.onKnown(newest)
    return newest
  }
  const first = decided(row)
  const input = { feed, latest, maxSteps, batch: { offersMany, paymentMotes }, now: options.now(), hash }
  // Forecasts are later than what counts, and what EIA no longer has is not compared.
  if (first.result.decision === 'future-period' || first.result.decision === 'older-than-chain')
    return { ...input, newest: first, rows: [], prints: new Map(), maxPeriods: 0 }
  const missed = await listMissed(first, feed, latest, options)
  const [latestRow = row] = missed
  assertUnit(latestRow, feed)
  const newest = missed.length === 0 ? first : decided(latestRow)
  const earlier = await listEarlier(newest, feed, options)
  const prints = await readPrints(earlier, feed, latest, options)
  const rows = missed.length === 0 ? earlier : [...missed.slice(1), ...earlier.filter(isUpTo(latest, feed))]
  return { ...input, newest, rows, prints, maxPeriods: Math.max(catchUp, earlier.length) }
}

type Newest = PlanInput['newest'] & { row: EiaRow; result: DecisionResult }

const isUpTo =
  (latest: Attestation | null, { frequency }: FeedConfig) =>
  ({ period }: EiaRow): boolean =>
    latest !== null && encodePeriod(frequency, period) <= latest.period

/** Lists the rows that are later than the chain's newest period, newest first; none if the newest row is the next. */
async function listMissed(
  { row, result }: Newest,
  feed: FeedConfig,
  latest: Attestation | null,
  { eia, catchUp, stop: signal, warnOnce }: PlanInputOptions,
): Promise<readonly EiaRow[]> {
  if (catchUp === 0 || latest === null || result.period <= latest.period) return []
  if (isNextPeriod(feed.frequency, latest.period, result.period)) return []
  const listed = { since: latest.period, signal }
  const few = await eia.listRowsSince(seriesOf(feed), { ...listed, most: catchUp + 1 })
  const { rows, isComplete } = few.isComplete
    ? few
    : await eia.listRowsSince(seriesOf(feed), { ...listed, most: MAX_GAP })
  assertListed(rows, row, feed)
  if (!isComplete)
    warnOnce(
      feed.feed_id,
      `more than ${rows.length} periods are missing: only the newest of them are attested`,
    )
  return rows
}

/** Lists the rows before the newest that are compared with the chain. */
async function listEarlier(
  { row, result }: Newest,
  feed: FeedConfig,
  { eia, lookBack, offersMany, stop: signal, warnOnce }: PlanInputOptions,
): Promise<readonly EiaRow[]> {
  const periods = feed.look_back ?? lookBack
  if (periods === 0) return []
  if (!offersMany) {
    warnOnce(
      feed.feed_id,
      'look_back is left aside, because the AttestationRegistry has no attest_many: upgrade it with "contracts upgrade"',
    )
    return []
  }
  const rows = await eia.listNewestRows(seriesOf(feed), { length: periods + 1, signal })
  assertListed(rows, row, feed)
  return rows.filter(({ period }) => encodePeriod(feed.frequency, period) < result.period)
}

/** One of EIA's servers may be behind another: what it lists must not be taken for what there is. */
function assertListed(rows: readonly EiaRow[], { period }: EiaRow, { route }: FeedConfig): void {
  if (!rows.some((each) => each.period === period)) throw new EiaRowsMovedError(route)
}

async function readPrints(
  rows: readonly EiaRow[],
  feed: FeedConfig,
  latest: Attestation | null,
  { lastPrints }: PlanInputOptions,
): Promise<PlanInput['prints']> {
  const periods = rows.filter(isUpTo(latest, feed)).map(({ period }) => encodePeriod(feed.frequency, period))
  if (latest === null || periods.length === 0) return new Map()
  return lastPrints.read(feed.feed_id, latest, periods)
}
