import { type Codes, firstFrom } from './codes.ts'
import type { Selection } from './selectRows.ts'
import type { TableIndex } from './tableIndex.ts'

/** One of what rows are ordered by. */
export interface SortKey {
  /** `period`, `column` or the id of a facet. */
  readonly by: 'period' | 'column' | { readonly facet: string }
  readonly isDescending: boolean
}

/** A section of the rows of a table. */
export interface PageQuery {
  /** What rows are ordered by, first things first. What it leaves out follows ascending: column, facets by their ids, period. Joined rows have no column. */
  readonly sort: readonly SortKey[]
  /** How many rows are before the first. */
  readonly offset: number
  readonly limit: number
}

/** Indices of leaves. */
export interface Page {
  /** How many rows the table has in all. */
  readonly total: number
  /** For each row, the leaf of each column; -1 for none. */
  readonly rows: readonly Int32Array[]
}

/**
 * Finds a page of a table. It takes some nanoseconds for each leaf that is selected, wherever the page is, and memory for the page, the
 * series and the periods.
 */
export function pageOf(index: TableIndex, selection: Selection, query: PageQuery): Page {
  const rows = new RowsOf(index, selection)
  const { count } = rows
  let total = 0
  for (let group = 0; group < count; group++) total += rows.lengthOf(group)
  const { before, isDescending, order } = orderOf(index, selection, query.sort)
  const page = new PageBuilder(query, selection.series.length)
  for (let first = 0, next = 1; first < count && !page.isFull; first = next, next++) {
    // Groups that are equal in what comes before the period share their periods.
    while (next < count && before.every((of) => of(order[next] ?? 0) === of(order[first] ?? 0))) next++
    rows.addTo(page, order.subarray(first, next), isDescending)
  }
  return { total, rows: page.rows }
}

/** Collects the rows of a page from all rows, which come in parts. */
class PageBuilder {
  readonly rows: Int32Array[] = []
  readonly #columns: number
  #first: number
  #left: number

  constructor({ offset, limit }: PageQuery, columns: number) {
    this.#columns = columns
    this.#first = offset
    this.#left = limit
  }

  get isFull(): boolean {
    return this.#left === 0
  }

  /** Takes what it needs of so many rows: returns the places of the first and the one after the last, and makes room for them. */
  take(length: number): { from: number; to: number; into: Int32Array[] } {
    const from = Math.min(this.#first, length)
    const to = Math.min(length, from + this.#left)
    this.#first -= from
    this.#left -= to - from
    const into = Array.from({ length: to - from }, () => new Int32Array(this.#columns).fill(-1))
    for (const row of into) this.rows.push(row)
    return { from, to, into }
  }
}

/** The rows of the groups of a selection. */
class RowsOf {
  readonly count: number
  readonly #selection: Selection
  readonly #index: TableIndex
  /** For each column, the selected leaves of each group: the first and the one after the last. */
  readonly #firsts: Int32Array[]
  readonly #pasts: Int32Array[]
  readonly #lengths: Int32Array
  /** Of the group that is visited: for each column, the next leaf and the one after the last; and the leaves of its row. */
  readonly #next: Int32Array
  readonly #past: Int32Array
  readonly #leaves: Int32Array

  constructor(index: TableIndex, selection: Selection) {
    const { series } = selection
    this.count = series[0]?.length ?? 0
    this.#selection = selection
    this.#index = index
    const { starts, periodOf } = index
    const leafAt = (place: number, list: Int32Array) =>
      list.map((of) =>
        of === -1 ? 0 : firstFrom(periodOf, place, { low: starts[of] ?? 0, high: starts[of + 1] ?? 0 }),
      )
    this.#firsts = series.map((list) => leafAt(selection.from, list))
    this.#pasts = series.map((list) => leafAt(selection.to, list))
    this.#next = new Int32Array(series.length)
    this.#past = new Int32Array(series.length)
    this.#leaves = new Int32Array(series.length)
    this.#lengths = new Int32Array(this.count)
    for (let group = 0; group < this.count; group++) this.#lengths[group] = this.#countRows(group)
  }

  lengthOf(group: number): number {
    return this.#lengths[group] ?? 0
  }

  #countRows(group: number): number {
    const [firsts, pasts] = [this.#firsts[0], this.#pasts[0]]
    if (this.#firsts.length === 1) return (pasts?.[group] ?? 0) - (firsts?.[group] ?? 0)
    let count = 0
    this.#each(group, () => {
      count += 1
    })
    return count
  }

  /** Visits the rows of a group in the order of their periods, with the leaf of each column, which the next row overwrites. */
  #each(group: number, visit: (period: number, leaves: Int32Array) => void): void {
    const { periodOf } = this.#index
    const [next, past, leaves] = [this.#next, this.#past, this.#leaves]
    for (let at = 0; at < next.length; at++) {
      next[at] = this.#firsts[at]?.[group] ?? 0
      past[at] = this.#pasts[at]?.[group] ?? 0
    }
    for (;;) {
      let period = Number.POSITIVE_INFINITY
      for (let at = 0; at < next.length; at++)
        if ((next[at] ?? 0) < (past[at] ?? 0)) period = Math.min(period, periodOf[next[at] ?? 0] ?? 0)
      if (period === Number.POSITIVE_INFINITY) return
      for (let at = 0; at < next.length; at++) {
        const leaf = next[at] ?? 0
        const isOfRow = leaf < (past[at] ?? 0) && periodOf[leaf] === period
        leaves[at] = isOfRow ? leaf : -1
        if (isOfRow) next[at] = leaf + 1
      }
      visit(period, leaves)
    }
  }

  /** Adds the rows of some groups to a page, ordered by period, then by group. */
  addTo(page: PageBuilder, groups: Int32Array, isDescending: boolean): void {
    const length = groups.reduce((sum, group) => sum + this.lengthOf(group), 0)
    const { from, to, into } = page.take(length)
    if (into.length === 0) return
    const place = (period: number) =>
      isDescending ? this.#selection.to - 1 - period : period - this.#selection.from
    // How many rows are before those of each period.
    const starts = new Int32Array(Math.max(0, this.#selection.to - this.#selection.from) + 1)
    for (const group of groups)
      this.#each(group, (period) => {
        const next = place(period) + 1
        starts[next] = (starts[next] ?? 0) + 1
      })
    for (let at = 1; at < starts.length; at++) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0)
    for (const group of groups)
      this.#each(group, (period, leaves) => {
        const at = starts[place(period)] ?? 0
        starts[place(period)] = at + 1
        if (at >= from && at < to) into[at - from]?.set(leaves)
      })
  }
}

/** The code of a group in one of what rows are ordered by. */
type CodeOfGroup = (group: number) => number

/** Orders the groups by all but the period, and says what comes before it. */
function orderOf(index: TableIndex, { series }: Selection, sort: readonly SortKey[]) {
  const count = series[0]?.length ?? 0
  const isJoined = series.length > 1
  const all = [...sort, ...restOf(index, sort)].filter(({ by }) => by !== 'column' || !isJoined)
  const at = all.findIndex(({ by }) => by === 'period')
  const representative = new Int32Array(count)
  for (const list of [...series].reverse())
    for (let group = 0; group < count; group++) {
      const of = list[group] ?? -1
      if (of !== -1) representative[group] = of
    }
  const keys = all.map(({ by, isDescending }) => {
    const { codes, size } = codesOfKey(index, by)
    const codeOf: CodeOfGroup = (group) => codes[representative[group] ?? 0] ?? 0
    return { codeOf, size, isDescending }
  })
  const before = keys.slice(0, at)
  let order = Int32Array.from({ length: count }, (_, group) => group)
  // From the last to the first, each keeps the order of those after it.
  for (const key of [...before, ...keys.slice(at + 1)].reverse()) order = sortedBy(order, key)
  return { before: before.map(({ codeOf }) => codeOf), isDescending: all[at]?.isDescending === true, order }
}

/** What a sort leaves out. */
const restOf = ({ facets }: TableIndex, sort: readonly SortKey[]): SortKey[] => {
  const all: SortKey['by'][] = ['column', ...facets.map(({ id }) => ({ facet: id })), 'period']
  const isGiven = (by: SortKey['by']) => sort.some((key) => nameOf(key.by) === nameOf(by))
  return all.filter((by) => !isGiven(by)).map((by) => ({ by, isDescending: false }))
}

const nameOf = (by: SortKey['by']): string => (typeof by === 'string' ? by : `facet ${by.facet}`)

function codesOfKey(index: TableIndex, by: SortKey['by']): { codes: Codes; size: number } {
  if (by === 'column') return { codes: index.columnOf, size: index.columns.length }
  // The period is no code of a series.
  if (by === 'period') return { codes: new Uint8Array(), size: 1 }
  const at = index.facets.findIndex(({ id }) => id === by.facet)
  const codes = index.facetsOf[at]
  if (codes === undefined) throw new RangeError(`the snapshot has no facet ${by.facet}`)
  return { codes, size: index.facets[at]?.codes.length ?? 0 }
}

/** Sorts by a code, and keeps the order of equals. */
function sortedBy(
  order: Int32Array<ArrayBuffer>,
  { codeOf, size, isDescending }: { codeOf: CodeOfGroup; size: number; isDescending: boolean },
): Int32Array<ArrayBuffer> {
  const placeOf = (group: number) => (isDescending ? size - 1 - codeOf(group) : codeOf(group))
  const starts = new Int32Array(size + 1)
  for (const group of order) starts[placeOf(group) + 1] = (starts[placeOf(group) + 1] ?? 0) + 1
  for (let at = 1; at <= size; at++) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0)
  const sorted = new Int32Array(order.length)
  for (const group of order) {
    const at = starts[placeOf(group)] ?? 0
    starts[placeOf(group)] = at + 1
    sorted[at] = group
  }
  return sorted
}
