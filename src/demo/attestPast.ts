import { setImmediate } from 'node:timers/promises'
import { DAY_MS, HOUR_MS } from '@wattfeed/base'
import { type Arguments, countArgumentBytes } from '@wattfeed/casper/types'
import { createSender } from '@wattfeed/casper-devnet'
import type { EiaRow, ReleasedSeries } from '@wattfeed/eia'
import { attestManyArguments, type NewAttestation } from 'wattfeed/internal'
import { attestRows } from '../agent/plan/attestRows.ts'
import type { SeriesConfig } from '../feeds/file/feedConfig.ts'
import { BOOT_TIME } from './bootClock.ts'
import type { DemoChain } from './demoChain.ts'
import { listPast, listPastRows } from './standIn/inventPast.ts'
import { randomOf } from './standIn/random.ts'
import { eiaRowsOf, releaseRows } from './standIn/releaseRows.ts'
import { findReleases } from './standIn/releases.ts'
import { revised } from './standIn/revised.ts'
import type { Upstream } from './standIn/upstream.ts'

/** Time of the first attestations. Values published earlier are attested then. */
const FIRST_RUN = BOOT_TIME + DAY_MS

/** Fraction of the values that are revised once. Feeds of prices are never revised. */
const REVISED_PART = 0.1

export interface PastRun {
  readonly at: number
  readonly attestations: readonly NewAttestation[]
}

/**
 * Brings the upstream to a time with invented rows, and returns the attestations that an agent would have made of them so
 * far, oldest first. Each feed's newest row is omitted: the agent attests it.
 *
 * The result is deterministic. Periods up to those of `fixtures/eia` have the same values and revisions on any day, so that
 * the documentation can show them.
 *
 * @param now epoch milliseconds; no run is later
 */
export function planPast(feeds: readonly SeriesConfig[], upstream: Upstream, now: number): PastRun[] {
  for (const feed of feeds) upstream.keepOneSeries(feed)
  releaseRows(upstream, feeds, now)
  for (const feed of feeds) {
    const [newest] = eiaRowsOf(upstream, feed)
    const oldest = newest && listPastRows(feed, newest.period).at(-1)
    // Long after the periods of the fixtures, their rows would be apart from the invented ones.
    if (oldest !== undefined) upstream.keepPeriods(feed, (period) => period >= oldest)
  }
  const attestations = feeds.flatMap((feed) => {
    const [newest, ...rows] = eiaRowsOf(upstream, feed)
    const attested = new Set(newest && listPast(feed, newest.period))
    const past = rows.filter(({ period }) => attested.has(period))
    return attestationsOf(feed, past.reverse(), now)
  })
  const runs = Map.groupBy(attestations, ({ at }) => at)
  return [...runs].sort(([a], [b]) => a - b).map(([at, attestations]) => ({ at, attestations }))
}

type Dated = NewAttestation & { at: number }

/** Returns a feed's attestations, oldest first. A revision is attested together with the following period. */
function attestationsOf(feed: SeriesConfig, past: readonly EiaRow[], now: number): Dated[] {
  const attestationsAt = (row: EiaRow, seenWith = row): Dated[] => {
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
    const first = firstPrint(feed.feed_id, row)
    if (next === undefined || first === row.value) return attestationsAt(row)
    return [...attestationsAt({ ...row, value: first }), ...attestationsAt(row, next)]
  })
}

/**
 * Returns the value that a row has until the following period is released.
 *
 * @param name of the series: the id of a feed, or a text of its own for a series without one
 */
export function firstPrint(name: string, row: Pick<EiaRow, 'period' | 'value'>): string | null {
  const random = randomOf(`${name} ${row.period} revision`)
  return !name.includes('PRICE') && random() < REVISED_PART ? revised(row, random) : row.value
}

export function publishedAt(feed: ReleasedSeries, period: string): number {
  const at = findReleases(feed, period).releaseOf(period)
  return feed.frequency === 'hourly' ? Math.ceil(at / HOURLY_RUN_MS) * HOURLY_RUN_MS : at
}

/** Interval at which hourly values are attested together, so that they share transactions. */
const HOURLY_RUN_MS = 6 * HOUR_MS

// Limits and payment of a transaction in the lane for at most 1,024 bytes of arguments.
const MAX_BATCH = 10
const MAX_ARGUMENT_BYTES = 1_024
const PAYMENT_MOTES = 20_000_000_000n

/**
 * Attests the runs on a chain with a stopped clock, which is set to the time of each run.
 *
 * @param onProgress receives how many of all values have been attested
 */
export async function attestPast(
  { devnet, packageHashes, clock }: Pick<DemoChain, 'devnet' | 'packageHashes' | 'clock'>,
  runs: readonly PastRun[],
  onProgress: (done: number, all: number) => void = () => {},
): Promise<void> {
  const [account] = devnet.accounts
  if (account === undefined) throw new Error('the chain has no account')
  const { send } = createSender(devnet, account)
  const target = { packageHash: packageHashes.AttestationRegistry, entryPoint: 'attest_many' }
  const all = runs.reduce((sum, { attestations }) => sum + attestations.length, 0)
  let done = 0
  for (const { at, attestations } of runs) {
    clock.set(at)
    // Yield, so that other tasks such as signal handlers can run.
    await setImmediate()
    for (const args of batchArguments(attestations)) await send({ target, args, paymentMotes: PAYMENT_MOTES })
    done += attestations.length
    onProgress(done, all)
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
