import type { Leaf } from '@wattfeed/dataset'
import {
  findRuns,
  type PageQuery,
  pageOf,
  type Run,
  type SnapshotTable,
  selectLeaves,
  type TableFilter,
} from '@wattfeed/dataset/table'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import { describeFacets } from './findAttestedSeries.ts'
import { SeriesQueryError } from './seriesQueryError.ts'

/** Which rows of a dataset a page has. */
export interface TableQuery {
  /**
   * EIA's ids of columns.
   * @default all
   */
  columns?: readonly string[] | null
  /**
   * Codes by the id of their facet; null for rows without one.
   * @default all codes of each facet
   */
  facets?: Readonly<Record<string, readonly (string | null)[]>>
  /**
   * EIA's text of the first period: `2026-01`.
   * @default no bound
   */
  period_from?: string | null
  /**
   * EIA's text of the last period.
   * @default no bound
   */
  period_to?: string | null
  /**
   * `period`, `column` and ids of facets, with `-` before one in descending order. What is left out follows in the order column,
   * facets, period.
   * @default []
   */
  sort?: readonly string[]
  /**
   * How many rows are before the first.
   * @default 0
   */
  offset?: number
  /**
   * Maximum number of rows, up to 100,000.
   * @default 1000
   */
  limit?: number
}

/** A value of a dataset, and its place in it. */
export interface TableRow extends Omit<Leaf, 'route' | 'frequency'> {
  /** Index of the value in the dataset. */
  readonly index: number
}

/** A page of a table. */
export interface TablePage {
  /** The rows of the page, in the order of the query. */
  readonly rows: readonly TableRow[]
  /** Number of rows of all pages. */
  readonly total: number
  /**
   * True if the leaves beside the rows show that there are no others: for a list of at most 100 series, or for one run of leaves. It
   * holds if the attester of the root had sorted the values. Null for any other table: nothing shows whether it has all rows.
   */
  readonly complete: true | null
}

/**
 * Reads a page of a table. Each row is checked with the root.
 *
 * @throws {SeriesQueryError} if the dataset has no such column, facet or period.
 * @throws {DatasetError} if a file is wrong.
 */
export async function readTable(table: SnapshotTable, query: TableQuery): Promise<TablePage> {
  const { index, manifest } = table
  const filter = filterOf(table, query)
  const facets = index.facets.map(({ id }) => id)
  const { sort = [], offset = 0, limit = 1_000 } = query
  const page = pageOf(index, selectLeaves(index, filter), { sort: parseSort(sort, facets), offset, limit })
  const indices = page.rows.map(([leaf = 0]) => leaf)
  const runs = findRuns(index, filter)
  const beside = (runs ?? []).flatMap((run) => besideOf(run, manifest.size))
  const leaves = await table.readLeaves(new Set([...indices, ...beside].sort((one, other) => one - other)))
  const rows = indices.map((at): TableRow => {
    const leaf = leaves.get(at)
    if (leaf === undefined) throw new TypeError(`leaf ${at} was not read`)
    const { column, facets, period, value, unit } = leaf
    return { column, facets, period, value, unit, index: at }
  })
  return { rows, total: page.total, complete: runs === null ? null : true }
}

/** The leaves beside a run. They are compared with the index, by which they lie outside of it. */
const besideOf = ({ from, to }: Run, size: number): number[] =>
  [from - 1, to].filter((at) => at >= 0 && at < size)

/** Checks that the dataset can have the table. A misspelt name would otherwise select nothing, as if EIA had no values. */
function filterOf({ index, manifest }: SnapshotTable, query: TableQuery): TableFilter {
  const { route, columns: known, frequency } = manifest
  const { columns, facets = {}, period_from = null, period_to = null } = query
  const wrong = columns?.find((column) => !known.includes(column))
  if (wrong !== undefined)
    throw wrongIn(
      'column',
      `there is no ${JSON.stringify(wrong)}; the columns of ${route} are ${known.join(', ')}`,
    )
  const ids = index.facets.map(({ id }) => id)
  const unknown = Object.keys(facets).find((id) => !ids.includes(id))
  if (unknown !== undefined)
    throw wrongIn('facets', `there is no such facet; ${describeFacets(route, ids)}`, unknown)
  assertPeriod('period_from', period_from, frequency)
  assertPeriod('period_to', period_to, frequency)
  return { columns: columns ?? known, facets, from: period_from, to: period_to }
}

function assertPeriod(member: 'period_from' | 'period_to', period: string | null, frequency: string): void {
  if (period === null) return
  try {
    encodePeriod(frequency, period)
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    throw wrongIn(member, `a ${frequency} period must be ${error.rule}`)
  }
}

function parseSort(sort: readonly string[], facets: readonly string[]): PageQuery['sort'] {
  const known = ['period', 'column', ...facets]
  const names = sort.map((key) => key.replace(/^-/, ''))
  return names.map((name, at) => {
    if (!known.includes(name))
      throw wrongIn('sort', `rows are ordered by ${known.join(', ')}, not by ${JSON.stringify(name)}`)
    if (names.indexOf(name) !== at) throw wrongIn('sort', `it has ${JSON.stringify(name)} twice`)
    const by = name === 'period' || name === 'column' ? name : { facet: name }
    return { by, isDescending: sort[at] !== name }
  })
}

const wrongIn = (member: SeriesQueryError['member'], rule: string, facet: string | null = null) =>
  new SeriesQueryError({ member, facet, rule })
