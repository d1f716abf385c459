import type { Codes } from './codes.ts'
import { compareTexts } from './compareTexts.ts'
import type { TableIndex } from './tableIndex.ts'

/** Which rows of a snapshot a table has. */
export interface TableFilter {
  /** Ids of columns. */
  readonly columns: readonly string[]
  /** For each facet that is given, the codes that rows may have; null for rows without one. */
  readonly facets: Readonly<Record<string, readonly (string | null)[]>>
  /** EIA's texts of the first and the last period, compared as texts; null without a bound. */
  readonly from: string | null
  readonly to: string | null
}

/** What rows have in common that are one after the other in the tree: a series; or the series of several columns with equal facets. */
export interface Selection {
  /** For each column of the rows, the series of each group in the order of their keys; -1 for none. */
  readonly series: readonly Int32Array[]
  /** Places of the periods: the first, and the one after the last. */
  readonly from: number
  readonly to: number
}

/** Selects the series whose rows a table has, each as a group of its own: a row is a leaf. */
export function selectLeaves(index: TableIndex, filter: TableFilter): Selection {
  const columns = maskOf(index.columns, filter.columns)
  return { series: [seriesWhere(index, filter, columns)], ...periodsOf(index, filter) }
}

/** Selects groups of series with equal facets: a row has a leaf of each column, or none of some. Columns are in the filter's order. */
export function selectJoined(index: TableIndex, filter: TableFilter): Selection {
  const found = filter.columns.map((column) => seriesWhere(index, filter, maskOf(index.columns, [column])))
  return { series: joinByFacets(index, found), ...periodsOf(index, filter) }
}

/** Returns the places of the periods of a table: the first, and the one after the last. */
export function periodsOf({ periods }: TableIndex, { from, to }: TableFilter): { from: number; to: number } {
  const first = from === null ? 0 : periods.filter((period) => compareTexts(period, from) < 0).length
  const past = to === null ? periods.length : periods.filter((period) => compareTexts(period, to) <= 0).length
  return { from: first, to: Math.max(first, past) }
}

/** For each text of a list, 1 if it is wanted. */
function maskOf(texts: readonly (string | null)[], wanted: readonly (string | null)[]): Uint8Array {
  const all = new Set(wanted)
  return Uint8Array.from(texts, (text) => (all.has(text) ? 1 : 0))
}

function seriesWhere(
  { starts, columnOf, facets, facetsOf }: TableIndex,
  filter: TableFilter,
  columns: Uint8Array,
): Int32Array {
  const given = facets.flatMap(({ id, codes }, at) => {
    const wanted = Object.hasOwn(filter.facets, id) ? filter.facets[id] : undefined
    return wanted === undefined ? [] : [{ codesOf: facetsOf[at] ?? columnOf, mask: maskOf(codes, wanted) }]
  })
  const conditions = [{ codesOf: columnOf, mask: columns }, ...given]
  const found = new Int32Array(starts.length - 1)
  let count = 0
  for (let series = 0; series < found.length; series++) {
    if (!conditions.every(({ codesOf, mask }) => mask[codesOf[series] ?? 0] === 1)) continue
    found[count] = series
    count += 1
  }
  return found.slice(0, count)
}

/** Brings together series of different columns that have the same facets. Each list is in the order of keys. */
function joinByFacets({ facetsOf }: TableIndex, lists: readonly Int32Array[]): Int32Array[] {
  const joined = lists.map(() => new Int32Array(lists.reduce((sum, { length }) => sum + length, 0)))
  const next = lists.map(() => 0)
  let count = 0
  for (;;) {
    let first = -1
    for (const [at, list] of lists.entries()) {
      const series = list[next[at] ?? 0]
      if (series !== undefined && (first === -1 || compareFacets(facetsOf, series, first) < 0)) first = series
    }
    if (first === -1) return joined.map((list) => list.slice(0, count))
    for (const [at, list] of lists.entries()) {
      const series = list[next[at] ?? 0]
      const isOfGroup = series !== undefined && compareFacets(facetsOf, series, first) === 0
      const into = joined[at]
      if (into !== undefined) into[count] = isOfGroup ? series : -1
      if (isOfGroup) next[at] = (next[at] ?? 0) + 1
    }
    count += 1
  }
}

function compareFacets(facetsOf: readonly Codes[], one: number, other: number): number {
  for (const codes of facetsOf) {
    const difference = (codes[one] ?? 0) - (codes[other] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
