import {
  createSeriesFinder,
  pageOf,
  type Selection,
  type SnapshotTable,
  selectJoined,
} from '@wattfeed/dataset/table'
import { isDecimal } from '@wattfeed/eia'
import { LRUCache } from 'lru-cache'
import { EiaSortError } from './eiaErrors.ts'
import type { EiaQuery, EiaSortKey } from './eiaQuery.ts'

/** Rows of a table: for each, the leaf of each column; -1 for none. */
export interface FoundRows {
  /** How many rows match in all. */
  readonly total: number
  readonly rows: readonly Int32Array[]
}

/** Maximum number of rows that are sorted by the values of a column: all of these are read. */
const MAX_SORTED_ROWS = 100_000

/** Maximum memory of orders that are kept, in bytes: some four of the largest. */
const MAX_KEPT_BYTES = 2 ** 26

/** Memory of a short list of numbers besides these, in bytes. */
const LIST_BYTES = 128

/** Leaves that are read at once. */
const LEAVES_AT_ONCE = 4_096

/** Newest first; then facets in the order of their ids, ascending. */
const NEWEST_FIRST = { by: 'period', isDescending: true } as const

/** Creates what finds the rows of a page. It keeps the orders by values that it has made, so that later pages do not read all again. */
export function createRowFinder() {
  const kept = new LRUCache<string, FoundRows>({
    maxSize: MAX_KEPT_BYTES,
    // A request may have long lists of codes, and no rows.
    sizeCalculation: ({ rows }, key) =>
      1_024 + 2 * key.length + rows.length * (LIST_BYTES + (rows[0]?.byteLength ?? 0)),
  })

  /**
   * @param columns - of the rows: those that they show or, if the query names none, all; and those whose values the sort needs. A row has a
   *   leaf of one that is shown.
   * @throws {EiaSortError} for an order by values of too many rows.
   * @throws {DatasetError} if a file is wrong.
   */
  return async (table: SnapshotTable, columns: readonly string[], query: EiaQuery): Promise<FoundRows> => {
    const { facets, periods, sort, offset, length } = query
    const { from, to } = periods
    const selection = selectJoined(table.index, { columns, facets, from, to })
    if (sort.every(isOfIndex)) {
      const page = { sort: [...sort, ...missing(sort)], offset, limit: length }
      return pageOf(table.index, selection, page)
    }
    const shown = query.columns.length === 0 ? columns : query.columns
    const key = JSON.stringify([table.manifest.root, columns, shown, Object.entries(facets), from, to, sort])
    const { total, rows } = kept.get(key) ?? (await sortRows(table, { columns, shown, selection }, sort))
    kept.set(key, { total, rows })
    return { total, rows: rows.slice(offset, offset + length) }
  }
}

type IndexKey = Exclude<EiaSortKey, { by: { value: string } }>

const isOfIndex = (key: EiaSortKey): key is IndexKey => typeof key.by === 'string' || 'facet' in key.by

/** The columns whose values a sort needs. */
export const valueColumnsOf = (sort: readonly EiaSortKey[]): string[] =>
  sort.flatMap((key) => (isOfIndex(key) ? [] : [key.by.value]))

const missing = (sort: readonly EiaSortKey[]) =>
  sort.some(({ by }) => by === 'period') ? [] : [NEWEST_FIRST]

interface Selected {
  readonly columns: readonly string[]
  /** Those of the columns that decide which rows there are. */
  readonly shown: readonly string[]
  readonly selection: Selection
}

/** Sorts all rows of a selection that have a leaf of a column that is shown. Those that are equal stay newest first. */
async function sortRows(
  table: SnapshotTable,
  { columns, shown, selection }: Selected,
  sort: readonly EiaSortKey[],
): Promise<FoundRows> {
  const page = { sort: [NEWEST_FIRST], offset: 0, limit: MAX_SORTED_ROWS }
  const { total, rows: all } = pageOf(table.index, selection, page)
  if (total > MAX_SORTED_ROWS) {
    throw new EiaSortError({ columns: valueColumnsOf(sort), total, max: MAX_SORTED_ROWS })
  }
  const places = shown.map((column) => columns.indexOf(column))
  const rows = all.filter((row) => places.some((at) => row[at] !== -1))
  const comparisons: Comparison[] = []
  for (const key of sort)
    comparisons.push(
      isOfIndex(key)
        ? compareCodes(table, rows, key)
        : await compareValues(
            table,
            rows.map((row) => row[columns.indexOf(key.by.value)] ?? -1),
            key.isDescending,
          ),
    )
  const order = Uint32Array.from(rows.keys()).sort((one, other) => {
    for (const compare of comparisons) {
      const difference = compare(one, other)
      if (difference !== 0) return difference
    }
    return one - other
  })
  return { total: rows.length, rows: Array.from(order, (at) => rows[at] ?? new Int32Array()) }
}

/** Compares two rows by their places in a list. */
type Comparison = (one: number, other: number) => number

function compareCodes(
  { index }: SnapshotTable,
  rows: readonly Int32Array[],
  { by, isDescending }: IndexKey,
): Comparison {
  const seriesOf = createSeriesFinder(index)
  const at = index.facets.findIndex(({ id }) => typeof by === 'object' && by.facet === id)
  const codes = Uint32Array.from(rows, (row) => {
    const leaf = row.find((each) => each !== -1) ?? 0
    return (by === 'period' ? index.periodOf[leaf] : index.facetsOf[at]?.[seriesOf(leaf)]) ?? 0
  })
  const sign = isDescending ? -1 : 1
  return (one, other) => sign * ((codes[one] ?? 0) - (codes[other] ?? 0))
}

/** Kinds of values, in the order of a sort in any direction. */
const NUMBER = 0
const TEXT = 1
const NONE = 2

/** Compares numbers as numbers, and after them texts as texts. Rows without a value are last. */
async function compareValues(
  table: SnapshotTable,
  leaves: readonly number[],
  isDescending: boolean,
): Promise<Comparison> {
  const kinds = new Uint8Array(leaves.length).fill(NONE)
  const numbers = new Float64Array(leaves.length)
  const texts = new Map<number, string>()
  const places = Uint32Array.from(leaves.keys()).sort(
    (one, other) => (leaves[one] ?? 0) - (leaves[other] ?? 0),
  )
  for (let from = 0; from < places.length; from += LEAVES_AT_ONCE) {
    const part = places.subarray(from, from + LEAVES_AT_ONCE)
    const found = await table.readLeaves(
      [...part].map((at) => leaves[at] ?? -1).filter((leaf) => leaf !== -1),
    )
    for (const at of part) {
      const value = found.get(leaves[at] ?? -1)?.value ?? null
      if (value === null) continue
      const isNumber = isDecimal(value)
      kinds[at] = isNumber ? NUMBER : TEXT
      if (isNumber) numbers[at] = Number(value)
      else texts.set(at, value)
    }
  }
  const ranks = new Map([...new Set(texts.values())].sort().map((text, rank) => [text, rank]))
  for (const [at, text] of texts) numbers[at] = ranks.get(text) ?? 0
  return (one, other) =>
    (kinds[one] ?? 0) - (kinds[other] ?? 0) ||
    (isDescending
      ? compareNumbers(numbers[other], numbers[one])
      : compareNumbers(numbers[one], numbers[other]))
}

/** Numbers may be infinite, as doubles. */
const compareNumbers = (one = 0, other = 0): number => (one < other ? -1 : one > other ? 1 : 0)
