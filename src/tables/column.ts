/** What the cells of a column hold, in every format of a table. */
export type ColumnType =
  /** A whole number. Null from 2^63 on: data frames hold 64 bits with a sign. */
  | 'integer'
  /** The nearest double. */
  | 'number'
  /** A whole number of any size, which no integer type of a data frame holds: text where cells have a type. */
  | 'digits'
  /** Epoch milliseconds: a timestamp in UTC where cells have a type. Null beyond the year 275760. */
  | 'time'
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
const MAX_TIME = 8_640_000_000_000_000

/** Returns a cell as its column may hold it; null if it may not. */
export function cellOf({ type }: Column, cell: Cell): Cell {
  if (type === 'hash') return typeof cell === 'string' && HASH.test(cell) ? cell : null
  if (type === 'integer') return Number(cell) < MAX_INT64 ? cell : null
  if (type === 'time') return Number(cell) <= MAX_TIME ? cell : null
  return cell
}
