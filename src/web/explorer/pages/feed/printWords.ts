import { isDatasetFeedId } from '@wattfeed/dataset'
import type { HistoryItem } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { formatAmount } from '../../format/amount.ts'

type Printed = Pick<HistoryItem, 'amount' | 'revision' | 'source_hash'>

/** Names each print of a period, oldest first. */
export function labelPrints(items: readonly Pick<Printed, 'revision'>[]): readonly string[] {
  return items.map(({ revision }, index) => {
    if (index === 0) return 'First print'
    return revision === items[index - 1]?.revision ? 'Attested again' : `Revision ${revision}`
  })
}

/** Formats the change between two prints, with its percentage: '+0.299 (+8.1 %)'. */
export function changeWords(
  before: Printed,
  after: Printed,
  { feed_id, decimals }: Pick<FeedReading, 'feed_id' | 'decimals'>,
): string {
  const change = BigInt(after.amount) - BigInt(before.amount)
  if (change === 0n)
    return isDatasetFeedId(feed_id) && before.source_hash !== after.source_hash ? 'another root' : 'unchanged'
  const sign = change < 0n ? '−' : '+'
  const amount = formatAmount(String(change < 0n ? -change : change), decimals)
  const percent = (Math.abs(Number(change)) / Number(before.amount)) * 100
  const part = Number.isFinite(percent) ? ` (${sign}${formatPercent(percent)} %)` : ''
  return `${sign}${amount}${part}`
}

const formatPercent = (percent: number): string =>
  percent.toLocaleString('en', percent < 100 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 })
