import { setImmediate } from 'node:timers/promises'
import type { FeedConfig } from '../agent/feeds/feedConfig.ts'
import { attestRows } from '../agent/plan/plan.ts'
import { type Arguments, countArgumentBytes } from '../casper/types/arguments.ts'
import { createSender } from '../devnet/transact.ts'
import { findCalendar } from '../eia/calendar.ts'
import { formatPeriod, periodStart } from '../eia/period.ts'
import { type EiaRow, selectRows } from '../eia/series.ts'
import { attestManyArguments, type NewAttestation } from '../registry/calls.ts'
import { BOOT_TIME } from './bootClock.ts'
import type { DemoChain } from './demoChain.ts'
import { inventPast } from './inventPast.ts'
import { revised } from './moveValues.ts'
import type { Upstream } from './upstream.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Time of the first attestations. Values published earlier are attested then. */
const FIRST_RUN = BOOT_TIME + DAY_MS

/** Fraction of the values that are revised once. Prices are never revised. */
const REVISED_PART = 0.1

/** Attestations made at the same time. */
export interface PastRun {
  /** Epoch milliseconds. */
  readonly at: number
  readonly attestations: readonly NewAttestation[]
}

/**
 * Adds invented rows for earlier periods to the upstream, and returns the attestations that an agent would have made of
 * them so far, oldest first. Each feed's newest row is omitted: the agent attests it.
 *
 * The result is deterministic. Periods up to the recorded ones have the same values and revisions on any day, so that the
 * documentation can show them.
 *
 * @param now epoch milliseconds; no run is later
 */
export function planPast(feeds: readonly FeedConfig[], upstream: Upstream, now: number): PastRun[] {
  const rowsOf = (feed: FeedConfig): EiaRow[] =>
    selectRows({ rows: upstream.rowsOf(feed), total: null, status: 200 }, feed).rows
  for (const feed of feeds) upstream.keepOneSeries(feed)
  for (const feed of feeds) releaseNewest(upstream, feed, now)
  // Invent all rows before adding any, because some feeds share the rows of a source.
  const invented = feeds.map((feed) => ({
    feed,
    rows: inventPast(feed, rowsOf(feed), (period) => randomOf(`${feed.feed_id} ${period}`)),
  }))
  for (const { feed, rows } of invented) for (const row of rows) upstream.setRow(feed, row)
  const attestations = feeds.flatMap((feed) => {
    const past = rowsOf(feed).slice(1).reverse()
    return attestFeed(feed, past, now)
  })
  const runs = Map.groupBy(attestations, ({ at }) => at)
  return [...runs].sort(([a], [b]) => a - b).map(([at, attestations]) => ({ at, attestations }))
}

/** Adds the row that EIA should have released last, with the value of the newest: otherwise the feed would look late. */
function releaseNewest(upstream: Upstream, feed: FeedConfig, now: number): void {
  const { frequency, allow_future = false } = feed
  const [newest] = upstream.rowsOf(feed)
  const last = newest?.period
  if (typeof last !== 'string' || allow_future) return
  const due = findCalendar(feed, periodStart(frequency, last))?.dueAt(now)
  const period = due ? formatPeriod(frequency, due.expectedPeriod) : null
  const value = newest?.[feed.column]
  if (period !== null && period > last && typeof value === 'string') upstream.setRow(feed, { period, value })
}

type Dated = NewAttestation & { at: number }

/** Returns a feed's attestations, oldest first. A revision is attested together with the following period. */
function attestFeed(feed: FeedConfig, past: readonly EiaRow[], now: number): Dated[] {
  const attest = (row: EiaRow, seenWith = row): Dated[] => {
    const at = Math.min(now, Math.max(FIRST_RUN, publishedAt(feed, seenWith.period)))
    return attestRows([row], { feed, now }).attestations.map(({ feed_id, period, amount, source_hash }) => ({
      feed_id,
      period,
      amount,
      source_hash,
      at,
    }))
  }
  return past.flatMap((row, index) => {
    const next = past[index + 1]
    const random = randomOf(`${feed.feed_id} ${row.period} revision`)
    const isRevised = next !== undefined && !feed.feed_id.includes('PRICE') && random() < REVISED_PART
    if (!isRevised) return attest(row)
    return [...attest({ ...row, value: revised(row, random) }), ...attest(row, next)]
  })
}

/**
 * Returns the time at which an agent would have read a period's value. All feeds of a frequency have the same time of day,
 * so that they share transactions.
 */
function publishedAt({ frequency, allow_future = false }: FeedConfig, period: string): number {
  const startMs = periodStart(frequency, period)
  if (frequency === 'hourly') return Math.ceil((startMs + HOUR_MS) / HOURLY_RUN_MS) * HOURLY_RUN_MS
  const lagDays = allow_future ? FORECAST_DAYS : (lagsDays[frequency] ?? 1)
  const day = new Date(startMs + lagDays * DAY_MS)
  if (frequency === 'weekly') day.setUTCDate(day.getUTCDate() + ((WEDNESDAY - day.getUTCDay() + 7) % 7))
  return day.getTime() + 15 * HOUR_MS
}

/** Interval at which hourly values are attested together. */
const HOURLY_RUN_MS = 4 * HOUR_MS

/** Days from the start of a period to its publication. */
const lagsDays: Readonly<Record<string, number>> = { daily: 1, weekly: 2, monthly: 90, annual: 640 }
const FORECAST_DAYS = -426
const WEDNESDAY = 3

/** Returns a generator of uniform numbers in [0, 1). Those of one text do not depend on others. */
function randomOf(text: string): () => number {
  let state = 1 + (Bun.hash.murmur32v3(text) % MAX_STATE)
  return () => {
    // The multiplier and modulus of Park and Miller.
    state = (state * 48_271) % (MAX_STATE + 1)
    return state / (MAX_STATE + 1)
  }
}

const MAX_STATE = 2_147_483_646

// Limits and payment of a transaction in the lane for at most 1,024 bytes of arguments.
const MAX_BATCH = 10
const MAX_ARGUMENT_BYTES = 1_024
const PAYMENT_MOTES = 20_000_000_000n

/** Attests the runs on a chain with a stopped clock, which is set to the time of each run. */
export async function attestPast(
  { devnet, packageHashes, clock }: Pick<DemoChain, 'devnet' | 'packageHashes' | 'clock'>,
  runs: readonly PastRun[],
): Promise<void> {
  const [account] = devnet.accounts
  if (account === undefined) throw new Error('the chain has no account')
  const { send } = createSender(devnet, account)
  const target = { packageHash: packageHashes.AttestationRegistry, entryPoint: 'attest_many' }
  for (const { at, attestations } of runs) {
    clock.set(at)
    // Yield, so that other tasks such as signal handlers can run.
    await setImmediate()
    for (const args of batchArguments(attestations)) await send({ target, args, paymentMotes: PAYMENT_MOTES })
  }
}

/** Groups attestations into transactions. The agent's are smaller, because few large ones fit a public network's block. */
function batchArguments(attestations: readonly NewAttestation[]): Arguments[] {
  const batches: NewAttestation[][] = []
  for (const each of attestations) {
    const grown = [...(batches.at(-1) ?? []), each]
    const isFull =
      grown.length > MAX_BATCH || countArgumentBytes(attestManyArguments(grown)) > MAX_ARGUMENT_BYTES
    if (batches.length === 0 || isFull) batches.push([each])
    else batches[batches.length - 1] = grown
  }
  return batches.map(attestManyArguments)
}
