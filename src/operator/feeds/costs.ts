import type { NewAttestation } from 'wattfeed/internal'
import { DAYS_IN_400_YEARS, type Frequency, periodsIn400Years } from '../../agent/intervals.ts'
import { batchAttestations, estimateCharge } from '../../agent/plan/attestCall.ts'
import { type FeedConfig, isDataset } from '../../feeds/file/feedConfig.ts'
import { feedsPath } from '../../feeds/file/feedsPath.ts'
import { loadFeeds } from '../../feeds/file/loadFeeds.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { CSPR_DECIMALS, formatAmount } from '../amounts.ts'
import { plural } from '../plural.ts'
import type { JsonOption, Program } from '../program.ts'
import { readsOnly, runFeeds } from './runFeeds.ts'

const help = `
Estimates the cost of attesting the feeds file per day and per month, by feed and in total, without network. It uses
each feed's number of new values, and the measured gas of the contracts. The lower figure is for values that
share transactions, the higher one for each value alone. PAYMENT_MOTES counts, if it is set.

Examples:
  $ bun run feeds costs
  $ FEEDS_FILE=feeds.json bun run feeds costs --json | jq .month`

export function addCosts(program: Program): void {
  program.add('costs', 'estimate what attesting the feeds file costs', help).action((options: JsonOption) =>
    runFeeds(program, 'costs', options, readsOnly, async ({ feedsFile, paymentMotes }) => {
      const found = estimateCosts(await loadFeeds(feedsFile), paymentMotes)
      return {
        report: { command: 'costs', feeds_file: feedsPath(feedsFile), assumptions, ...found },
        text: formatCosts(found),
      }
    }),
  )
}

/** The cost of attesting over a span of time, in motes. */
interface Cost {
  /** Each value in a transaction of its own. */
  single_motes: string
  single_cspr: string
  /** Values that are new at the same time share transactions, as many as fit. */
  batched_motes: string
  batched_cspr: string
}

export interface FeedCost {
  feed_id: string
  frequency: Frequency
  /** Average number of new values per day. */
  values_a_day: number
  day: Cost
  month: Cost
}

export interface FeedsCost {
  feeds: FeedCost[]
  day: Cost
  month: Cost
}

/** A cost in motes over 400 years, in which every frequency has a whole number of periods: so sums are exact. */
interface Total {
  single: bigint
  batched: bigint
}

/**
 * Estimates what attesting feeds costs, from their frequencies and the upper bounds of measured gas.
 *
 * @param paymentMotes the payment of a transaction: `PAYMENT_MOTES`; null if it is not set
 */
export function estimateCosts(configs: readonly FeedConfig[], paymentMotes: bigint | null): FeedsCost {
  const all = configs.map((config) => ({ config, total: totalOf(config, paymentMotes) }))
  const sum = all.reduce<Total>(
    ({ single, batched }, { total }) => ({ single: single + total.single, batched: batched + total.batched }),
    { single: 0n, batched: 0n },
  )
  const feeds = all.map(({ config: { feed_id, frequency }, total }) => ({
    feed_id,
    frequency,
    values_a_day: periodsIn400Years[frequency] / DAYS_IN_400_YEARS,
    ...spansOf(total),
  }))
  return { feeds, ...spansOf(sum) }
}

function totalOf(feed: FeedConfig, paymentMotes: bigint | null): Total {
  const { frequency } = feed
  const each = typical(feed)
  const options = { offersMany: true, paymentMotes }
  const [batch = [each]] = batchAttestations(Array<NewAttestation>(MAX_TRIED).fill(each), options)
  const count = BigInt(periodsIn400Years[frequency])
  return {
    single: estimateCharge([each], options) * count,
    batched: (estimateCharge(batch, options) * count) / BigInt(batch.length),
  }
}

/** More values than any batch has. */
const MAX_TRIED = 10

/** A typical attestation: an amount of 4 bytes and a source hash of 32 characters, or a root of 64. */
const typical = (feed: FeedConfig): NewAttestation => ({
  feed_id: feed.feed_id,
  period: 0,
  amount: 2n ** 31n,
  source_hash: '0'.repeat(isDataset(feed) ? 64 : 32),
})

const MONTHS_IN_400_YEARS = 4_800

const spansOf = (total: Total): { day: Cost; month: Cost } => ({
  day: costOf(total, BigInt(DAYS_IN_400_YEARS)),
  month: costOf(total, BigInt(MONTHS_IN_400_YEARS)),
})

function costOf({ single, batched }: Total, spans: bigint): Cost {
  return {
    single_motes: `${single / spans}`,
    single_cspr: cspr(single / spans),
    batched_motes: `${batched / spans}`,
    batched_cspr: cspr(batched / spans),
  }
}

const cspr = (motes: bigint): string => formatAmount(motes, CSPR_DECIMALS)

const assumptions =
  'Upper bounds for wattfeed’s own contracts: each period has one value, which is charged its measured gas and a quarter of the unused payment. Daily means seven days a week, a month is 30.4 days. Revisions, catching up and registering are not included.'

const head = ['feed', 'values a day', 'CSPR a day', 'CSPR a month']

export function formatCosts({ feeds, day, month }: FeedsCost): string {
  const rows = feeds.map((feed) => [
    feed.feed_id,
    formatRate(feed.values_a_day),
    formatRange(feed.day, roundCspr),
    formatRange(feed.month, roundCspr),
  ])
  const values = feeds.reduce((sum, feed) => sum + feed.values_a_day, 0)
  return [
    formatTable([head, ...rows]),
    `${plural(feeds.length, 'feed')}, ${formatRate(values)} values a day, from fully batched to one value per transaction:`,
    formatTable(
      Object.entries({ day, month }).map(([span, cost]) => [
        `  a ${span}`,
        `${formatRange(cost, roundCspr)} CSPR`,
        `${formatRange(cost, String)} motes`,
      ]),
    ),
    assumptions,
  ].join('\n')
}

const formatRate = (rate: number): string => String(Number(rate.toPrecision(3)))

const formatRange = ({ batched_motes, single_motes }: Cost, format: (motes: bigint) => string): string =>
  [batched_motes, single_motes].map((motes) => format(BigInt(motes))).join(' to ')

/** Rounds up to a ten-thousandth of a CSPR. */
const roundCspr = (motes: bigint): string => formatAmount((motes + 99_999n) / 100_000n, 4)
