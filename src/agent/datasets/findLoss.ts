import { encodePeriod, formatPeriod, parsePeriodStart, readablePeriod } from '@wattfeed/eia'
import type { ChainValue } from '../plan/decide.ts'
import { type PeriodCounts, sumOf } from './periodCounts.ts'
import { windowStart } from './windowStart.ts'

/** The newest root on chain, and the snapshot that may follow it. */
export interface LossInput {
  readonly frequency: string
  /** The newest root on chain: how many values it has, and its newest period. */
  readonly latest: Pick<ChainValue, 'amount' | 'period'>
  /** The counts of that root's snapshot; null if it is not at hand. */
  readonly before: PeriodCounts | null
  /** What EIA has now. */
  readonly counts: PeriodCounts
  /** EIA's text of the newest period that EIA has now. */
  readonly newestPeriod: string
  /** How many of the newest periods are read; null for all. */
  readonly periods: number | null
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Says what EIA has lost since the newest root, if that looks like an outage rather than a release; null if it does not. Pure.
 *
 * Two snapshots of the newest five days have different days, and a period may come in pieces. So only periods that both may have are
 * compared: those from the start of the present window on. Any of these is a loss:
 *
 * - The newest period is gone.
 * - The window has left all earlier periods behind for one in the future.
 * - More than a tenth of the values are gone. The growth of one period does not make up for the loss of another.
 * - More than half of the values of one period are gone.
 *
 * Without the counts of the root, the values up to its newest period are compared with its size. That is possible only if the window
 * has the same start.
 *
 * @throws `PeriodError` if a period is not of the frequency.
 */
export function findLoss(input: LossInput): string | null {
  const { frequency, latest, before, newestPeriod, periods, now } = input
  const last = formatPeriod(frequency, latest.period) ?? readablePeriod(latest.period)
  const newest = encodePeriod(frequency, newestPeriod)
  if (newest < latest.period) return `its newest period, ${last},`
  const start = windowStart(frequency, newest, periods)
  const isAhead = (period: string) => now < parsePeriodStart(frequency, period)
  if (start !== null && last < start)
    // Where forecasts are usual, the newest period is always in the future.
    return isAhead(newestPeriod) && !isAhead(last)
      ? `all periods up to ${last}, and has one in the future, ${newestPeriod},`
      : null
  return before === null ? lossOfSize(input) : lossOfPeriods(before, input, start)
}

/** What is lost of the periods that both snapshots may have. */
function lossOfPeriods(
  before: PeriodCounts,
  { counts }: Pick<LossInput, 'counts'>,
  start: string | null,
): string | null {
  const common = [...before]
    .filter(([period]) => start === null || period >= start)
    .map(([period, had]) => ({ period, had, lost: Math.max(0, had - (counts.get(period) ?? 0)) }))
    .toSorted((a, b) => (a.period < b.period ? -1 : 1))
  const worst = common.findLast((each) => each.lost * 2 > each.had)
  const [had, lost] = [sumOf(common.map((each) => each.had)), sumOf(common.map((each) => each.lost))]
  const [first, last] = [common.at(0)?.period, common.at(-1)?.period]
  if (lost * 10 > had)
    return `${lost} of ${had} values ${first === last ? `of ${last}` : `from ${first} to ${last}`}`
  return worst === undefined ? null : `${worst.lost} of ${worst.had} values of ${worst.period}`
}

/** What is lost of a root whose counts are not known. */
function lossOfSize({ frequency, latest, counts, newestPeriod, periods }: LossInput): string | null {
  const isSameStart = periods === null || encodePeriod(frequency, newestPeriod) === latest.period
  if (!isSameStart) return null
  const kept = [...counts].filter(([period]) => encodePeriod(frequency, period) <= latest.period)
  const lost = latest.amount - BigInt(sumOf(kept.map(([, count]) => count)))
  return lost * 10n > latest.amount ? `${lost} of ${latest.amount} values` : null
}
