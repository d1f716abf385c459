import { formatProgress } from '../../../agent/feedOutcome.ts'
import type { LeftOut } from '../../../agent/plan/attestRows.ts'
import type { SeriesConfig } from '../../../feeds/file/feedConfig.ts'
import type { ErrorFields } from '../../../runtime/errorFields.ts'
import { printable } from '../../../runtime/printable.ts'
import { formatCspr } from '../../amounts.ts'
import { plural } from '../../plural.ts'
import { type BackfillPlan, periodText } from './planBackfill.ts'

export interface BackfillReport {
  command: 'backfill'
  chain_name: string
  feed_id: string
  is_dry_run: boolean
  /** Number of periods to attest. */
  periods: number
  /** The first and the last of them, as EIA writes them; null if there are none. */
  from: string | null
  to: string | null
  /** Number of these periods that are on chain now. */
  attested: number
  /** Number of transactions sent, or needed if nothing was sent. */
  transactions: number
  /** Number of periods in the range that were already on chain. */
  held: number
  /** Periods as integers, and why they cannot be attested. */
  left_out: readonly LeftOut[]
  /** Upper bound of the total cost, in motes, at a gas price of 1. */
  estimated_motes: string
  charged_motes: string
  /** Why it stopped early; the same command resumes it. */
  error: ErrorFields | null
}

export function formatPlan(feed: SeriesConfig, plan: BackfillPlan): string[] {
  const { groups, periods, latest, isRestating, estimatedMotes, heldPeriods } = plan
  if (periods.length === 0) return []
  const known =
    heldPeriods === 0 ? '' : ` (${heldPeriods} ${heldPeriods === 1 ? 'is' : 'are'} already on chain)`
  const readers =
    isRestating && latest !== null
      ? `each transaction ends with the newest value again, of ${periodText(feed, latest.period)}: readers see it throughout`
      : 'until it ends, readers see old periods as the newest value'
  return [
    `${printable(feed.feed_id)}: ${plural(periods.length, 'period')}, ${rangeOf(feed, periods)}${known}, in ${plural(groups.length, 'transaction')}, one after the other; costs ${formatCspr(estimatedMotes)} at most, at a gas price of 1`,
    readers,
    'a running agent skips the feed meanwhile; after an interruption, the same command resumes',
  ]
}

export function formatBackfill(report: BackfillReport): string {
  const { feed_id, is_dry_run, charged_motes, error, left_out, periods, attested } = report
  const paid = is_dry_run ? 'nothing was sent' : `paid ${formatCspr(BigInt(charged_motes))}`
  const missing = is_dry_run ? 0 : periods - attested
  return [
    printable(`${feed_id}: ${resultOf(report)}`),
    ...formatProgress({ feed_id, caught_up: [], revised: [], missing, left_out, gaps: null }).map(printable),
    ...(error === null ? [] : [printable(`stopped: ${error.message}`), 'the same command resumes']),
    paid,
  ].join('\n')
}

function resultOf(report: BackfillReport): string {
  const { is_dry_run, periods, from, to, attested, transactions, held } = report
  if (periods === 0)
    return held === 0
      ? 'EIA has no period in the range that can be attested'
      : `nothing to do: ${held === 1 ? 'the only period is' : `all ${held} periods are`} already on chain`
  const [verb, count] = is_dry_run ? ['would attest', periods] : ['attested', attested]
  return `${verb} ${plural(count, 'period')} of ${from} to ${to} in ${plural(transactions, 'transaction')}`
}

function rangeOf(feed: SeriesConfig, periods: readonly number[]): string {
  const [first = 0, last = first] = [periods[0], periods.at(-1)]
  return first === last ? periodText(feed, first) : `${periodText(feed, first)} to ${periodText(feed, last)}`
}
