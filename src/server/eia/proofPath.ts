import { MAX_RANGE_VALUES } from 'wattfeed/internal'
import { tablePairs } from '../../web/site/tablePath.ts'
import { formatRangePath } from '../readers/rangeRequest.ts'
import { tablePaths } from '../readers/tableRequest.ts'
import type { EiaQuery } from './eiaQuery.ts'

/** Maximum length of a path in a header: some proxies refuse an answer whose headers have more than 4 kB. */
const MAX_PATH_LENGTH = 2_000

interface ProofOf {
  readonly route: string
  readonly frequency: string
  /** Ids of every facet. */
  readonly facets: readonly string[]
}

/**
 * Returns the path of what proves the rows of a request: the proof of a range for one series. Otherwise it is a table of the same values,
 * whose `row_proof` has the proof of each.
 *
 * @param found - number of rows, and index of the attestation
 */
export function proofPathOf(
  dataset: ProofOf,
  query: EiaQuery,
  { total, index }: { readonly total: number; readonly index: number },
): string {
  const path = rangePathOf(dataset, query, { total, index }) ?? tablePathOf(dataset, query, index)
  if (path.length <= MAX_PATH_LENGTH) return path
  const { from, to } = query.periods.periods
  return tablePathOf(
    dataset,
    { columns: [], facets: {}, periods: { from, to, periods: { from, to } } },
    index,
  )
}

/** The path of the proof of one series; null if there are more, one has too many values, or the range ends before it starts. */
function rangePathOf(
  { route, frequency, facets }: ProofOf,
  query: EiaQuery,
  { total, index }: { readonly total: number; readonly index: number },
): string | null {
  const [column, ...others] = query.columns
  const pinned = facets.flatMap((id): [string, string | null][] => {
    const [code, ...more] = new Set(query.facets[id])
    return code === undefined || more.length > 0 ? [] : [[id, code]]
  })
  const isOne = column !== undefined && others.length === 0 && pinned.length === facets.length
  if (!isOne || total > MAX_RANGE_VALUES) return null
  const { from, to } = query.periods.periods
  if (from !== null && to !== null && from > to) return null
  const series = { route, frequency, column, facets: Object.fromEntries(pinned) }
  return formatRangePath('proof', series, {
    period_from: from ?? undefined,
    period_to: to ?? undefined,
    index,
  })
}

function tablePathOf(
  { route, frequency }: ProofOf,
  { columns, facets, periods }: Pick<EiaQuery, 'columns' | 'facets' | 'periods'>,
  index: number,
): string {
  const rows = { route, frequency, columns, facets, ...periods.periods, sort: ['-period'] }
  const pairs: [name: string, text: string][] = [...tablePairs(rows), ['index', String(index)]]
  return `${tablePaths.json}?${new URLSearchParams(pairs)}`
}
