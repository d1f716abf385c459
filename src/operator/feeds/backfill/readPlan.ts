import { type EiaRow, encodePeriod, MAX_PAGE_ROWS } from '@wattfeed/eia'
import type { Client } from 'wattfeed'
import { BACKFILL_SPAN } from '../../../agent/committee/pastReader.ts'
import { readChainFeed } from '../../../agent/look/observe.ts'
import { assertAttestable } from '../../../agent/plan/assertAttestable.ts'
import type { BatchOptions } from '../../../agent/plan/attestCall.ts'
import type { OpenAgent } from '../../../agent/run/openAgent.ts'
import { type SeriesConfig, seriesOf } from '../../../feeds/file/feedConfig.ts'
import { printable } from '../../../runtime/printable.ts'
import type { BackfillListener, BackfillRun } from './backfillState.ts'
import {
  assertRoom,
  BackfillError,
  type BackfillPlan,
  type PeriodRange,
  periodText,
  planBackfill,
} from './planBackfill.ts'

/** More than any series has: 22 years of hours. All of them are in memory. */
const MAX_ROWS = 200_000
/** Values of a history that are read between two lines of progress. */
const CHUNK = 200

/**
 * Reads the chain and EIA, and plans what is missing.
 *
 * @throws {BackfillError} if the feed cannot be backfilled as requested; and what `assertAttestable` throws.
 */
export async function readPlan(
  run: BackfillRun,
  { offersMany, paymentMotes }: BatchOptions,
): Promise<BackfillPlan> {
  const { agent, signer, feed, range, restates, platform, listener } = run
  const state = await readChainFeed(feed, await agent.openView())
  assertAttestable(feed, state, signer?.accountHash ?? null)
  const { isTogether } = run.state
  if (isTogether && state.latest === null) throw noValue(feed)
  const rows = (await listRows(agent, feed, range)).filter(
    // The members attest later values by themselves.
    (row) => !isTogether || encodePeriod(feed.frequency, row.period) < (state.latest?.period ?? 0),
  )
  const { gasPriceTolerance } = run.settings
  const input = {
    // Members do not approve forecasts of the past.
    feed: isTogether ? { ...feed, allow_future: false } : feed,
    rows,
    latest: state.latest,
    restates,
    span: isTogether ? BACKFILL_SPAN : Number.POSITIVE_INFINITY,
    gasPriceTolerance,
    now: platform.now(),
  }
  const batch = { offersMany, paymentMotes }
  if (state.latest === null) return planBackfill({ ...input, batch, held: new Set() })
  const count = await agent.client.getValueCount(feed.feed_id)
  // Rejects most impossible backfills without reading a history of a hundred thousand values.
  if (!restates) assertRoom(input, count)
  return planBackfill({ ...input, batch, held: await readHeld(agent.client, feed, count, listener) })
}

const noValue = ({ feed_id }: SeriesConfig): BackfillError =>
  new BackfillError({
    feedId: feed_id,
    reason: 'committee',
    message:
      'the chain has no value of the feed yet, and the members of a committee attest the newest one first; run the command again when they have',
  })

async function listRows(
  { eia }: OpenAgent,
  feed: SeriesConfig,
  { from, to }: PeriodRange,
): Promise<readonly EiaRow[]> {
  const listing = { since: from - 1, most: MAX_ROWS, pageLength: MAX_PAGE_ROWS }
  const { rows, isComplete } = await eia.listRowsSince(seriesOf(feed), listing)
  if (!isComplete)
    throw new BackfillError({
      feedId: feed.feed_id,
      reason: 'too_many_rows',
      message: `only ${rows.length} of EIA's periods since ${periodText(feed, from)} can be listed; choose a later --from`,
    })
  return rows.filter(({ period }) => to === null || encodePeriod(feed.frequency, period) <= to)
}

/** Reads which periods have a value on chain: they are not attested again. */
async function readHeld(
  client: Pick<Client, 'getValueHistory'>,
  { feed_id }: SeriesConfig,
  count: number,
  { progress }: BackfillListener,
): Promise<ReadonlySet<number>> {
  const held = new Set<number>()
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK)
    for (const { period } of await client.getValueHistory(feed_id, { from, to })) held.add(period)
    progress(`${printable(feed_id)}: ${to} of ${count} values on chain read`)
  }
  return held
}
