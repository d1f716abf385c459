import type { HistoryItem } from '../../data/feedHistory.ts'
import { formatAmount } from '../../format/amount.ts'

type Printed = Pick<HistoryItem, 'amount' | 'revision'>

/** Names each print of a period, oldest first. */
export function labelPrints(items: readonly Printed[]): readonly string[] {
  return items.map(({ revision }, index) => {
    if (index === 0) return 'First print'
    return revision === items[index - 1]?.revision ? 'Attested again' : `Revision ${revision}`
  })
}

/** Formats the change between two prints, with its percentage: '+0.299 (+8.1 %)'. */
export function changeWords(before: Printed, after: Printed, decimals: number): string {
  const change = BigInt(after.amount) - BigInt(before.amount)
  if (change === 0n) return 'unchanged'
  const sign = change < 0n ? '−' : '+'
  const amount = formatAmount(String(change < 0n ? -change : change), decimals)
  const percent = (Math.abs(Number(change)) / Number(before.amount)) * 100
  const part = Number.isFinite(percent) ? ` (${sign}${formatPercent(percent)} %)` : ''
  return `${sign}${amount}${part}`
}

const formatPercent = (percent: number): string =>
  percent.toLocaleString('en', percent < 100 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 })
