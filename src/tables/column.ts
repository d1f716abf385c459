/** The type of the cells of a column, in every table format. */
export type ColumnType =
  /** An integer below 2^63; otherwise null, because data frames use signed 64-bit integers. */
  | 'integer'
  /** A double. */
  | 'number'
  /** An integer of any size. It is text in formats with typed cells, because data frames have no such integer type. */
  | 'digits'
  /** A number as EIA sent it, with every digit, or a text such as `w`. It is text in formats with typed cells. */
  | 'figure'
  /** A timestamp in UTC, given as epoch milliseconds or ISO 8601. ISO 8601 in CSV. Null after the year 9999. */
  | 'time'
  /** A day, given as `2026-11-20`. */
  | 'date'
  /** 32 lower-case hex digits, or 64 of a dataset's root. Null if an attester wrote anything else, so that free text stays out of tables. */
  | 'hash'
  | 'text'

/** One column of a table. It determines the CSV header, the Parquet schema and the CSVW metadata. */
export interface Column<Name extends string = string> {
  readonly name: Name
  readonly type: ColumnType
  /** Description in CSVW metadata. */
  readonly description: string
}

/** A row has a cell for each column, and may have more. */
export type Row<Name extends string = string> = { readonly [K in Name]: Cell }

export type Cell = number | bigint | string | null

const HASH = /^(?:[0-9a-f]{32}){1,2}$/
const MAX_INT64 = 2 ** 63
const MAX_TIME = Date.UTC(10_000, 0, 1) - 1

/** Converts a cell to the type of its column, a time to epoch milliseconds; null if the type does not allow it. */
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
