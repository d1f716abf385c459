/** What the cells of a column hold, in every format of a table. */
export type ColumnType =
  /** A whole number. Null from 2^63 on: data frames hold 64 bits with a sign. */
  | 'integer'
  /** The nearest double. */
  | 'number'
  /** A whole number of any size, which no integer type of a data frame holds: text where cells have a type. */
  | 'digits'
  /** A moment, from epoch milliseconds or ISO 8601: a timestamp in UTC, in CSV ISO 8601. Null beyond the year 9999. */
  | 'time'
  /** A day, from `2026-11-20`. */
  | 'date'
  /** 32 lower-case hex digits. Null where an attester wrote something else: free text stays out of tables. */
  | 'hash'
  | 'text'

/** One column of a table, from which the CSV header, the Parquet schema and the CSVW metadata follow. */
export interface Column<Name extends string = string> {
  readonly name: Name
  readonly type: ColumnType
  /** For people, in CSVW metadata. */
  readonly description: string
}

/** A row holds a cell for each column, and may hold more. */
export type Row<Name extends string = string> = { readonly [K in Name]: Cell }

export type Cell = number | bigint | string | null

const HASH = /^[0-9a-f]{32}$/
const MAX_INT64 = 2 ** 63
const MAX_TIME = Date.UTC(10_000, 0, 1) - 1

/** Returns a cell as its column may hold it, a time in epoch milliseconds; null if it may not. */
export function cellOf({ type }: Column, cell: Cell): Cell {
  if (cell === null) return null
  if (type === 'hash') return typeof cell === 'string' && HASH.test(cell) ? cell : null
  if (type === 'integer') return Number(cell) < MAX_INT64 ? cell : null
  if (type === 'time') {
    const ms = typeof cell === 'string' ? Date.parse(cell) : Number(cell)
    return ms <= MAX_TIME ? ms : null
  }
  return cell
}
