import { endOf, type IntegerQuery, isByPeriod, limitOf, rangeOf } from './historyQuery.ts'
import type { Vintage } from './revisions.ts'

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
