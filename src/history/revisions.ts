import type { Attestation } from '../registry/attestation.ts'
import { endOf, type IntegerQuery, isByPeriod, limitOf, rangeOf } from './historyQuery.ts'

/** An attestation and its place in the feed's history. */
export interface Vintage extends Attestation {
  /** Index in the order of attestation, from 0. */
  readonly index: number
  /** 0 for the first print of a period; 1 more for each different amount after it. Repeating an amount does not count. */
  readonly revision: number
}

/**
 * Creates a function that returns the revision of each attestation of a feed; call it in their order. It stores the newest
 * amount of each period, as a number if that is exact, to save memory.
 */
export function createRevisionCounter(): (period: number, amount: bigint) => number {
  const amounts = new Map<number, number | bigint>()
  const revisions = new Map<number, number>()
  return (period, amount) => {
    const short = amount <= Number.MAX_SAFE_INTEGER ? Number(amount) : amount
    const before = amounts.get(period)
    const known = revisions.get(period) ?? 0
    if (before === short) return known
    amounts.set(period, short)
    if (before === undefined) return 0
    revisions.set(period, known + 1)
    return known + 1
  }
}

/** One page of a history's rows. */
export interface VintagePage {
  readonly rows: readonly Vintage[]
  /** Query of the next page; null after the last. */
  readonly next: IntegerQuery | null
}

/**
 * Selects the rows of a page.
 *
 * @param known - the feed's first values, at least as many as `neededValues` returns
 * @param count - number of the feed's values
 */
export function selectPage(known: readonly Vintage[], count: number, query: IntegerQuery): VintagePage {
  const limit = limitOf(query)
  const end = endOf(query, count)
  const found = isByPeriod(query) ? selectPeriods(known, end, query) : selectRange(known, end, query, limit)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (last === undefined) return { rows, next: null }
  if (isByPeriod(query))
    return { rows, next: found.length > limit ? { ...query, to: end, after: last.period } : null }
  // The values after the last row may not be read yet.
  const isMore =
    found.length > limit || (query.order !== 'desc' && last.index + 1 < end && isUnread(known, end))
  return { rows, next: isMore ? { ...query, after: last.index } : null }
}

const isUnread = (known: readonly Vintage[], end: number): boolean => known.length < end

/** Returns the rows by index: one more than the limit if there are more. */
function selectRange(
  known: readonly Vintage[],
  end: number,
  query: IntegerQuery,
  limit: number,
): readonly Vintage[] {
  const isDesc = query.order === 'desc'
  const { first, past } = rangeOf(query, Math.min(end, known.length))
  const rows: Vintage[] = []
  for (let step = 0; step < past - first && rows.length <= limit; step++) {
    const row = known[isDesc ? past - 1 - step : first + step]
    if (row !== undefined && isInPeriods(row, query)) rows.push(row)
  }
  return rows
}

function selectPeriods(known: readonly Vintage[], end: number, query: IntegerQuery): readonly Vintage[] {
  const { after, order, as_of = Number.POSITIVE_INFINITY, vintages } = query
  const byPeriod = new Map<number, Vintage>()
  for (let index = 0; index < end; index++) {
    const row = known[index]
    if (row === undefined || row.timestamp > as_of || !isInPeriods(row, query)) continue
    if (vintages !== 'first' || !byPeriod.has(row.period)) byPeriod.set(row.period, row)
  }
  const sign = order === 'desc' ? -1 : 1
  const rows = [...byPeriod.values()].filter(
    ({ period }) => after === undefined || sign * period > sign * after,
  )
  return rows.sort((one, other) => sign * (one.period - other.period))
}

const isInPeriods = (
  { period }: Vintage,
  { period_from = 0, period_to = Number.POSITIVE_INFINITY }: IntegerQuery,
): boolean => period >= period_from && period <= period_to

/** Whether the periods of a frequency are hours, whose integers are epoch seconds. */
export const isHourly = (frequency: string): boolean => frequency === 'hourly' || frequency === 'local-hourly'
