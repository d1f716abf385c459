import { stringify } from 'csv-stringify/sync'
import { type Column, cellOf, type Row } from './column.ts'

/** The media type of tables with a header. @see https://www.rfc-editor.org/rfc/rfc4180 */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * Formats rows as CSV, with a header unless they continue a table. A text that spreadsheets take for a formula gets a
 * leading `'`; numbers, negative ones too, stay numbers.
 *
 * @example
 * ```ts
 * formatCsv(historyColumns, page.items) // 'index,period,…\r\n0,20261120,…\r\n'
 * ```
 */
export function formatCsv<Name extends string>(
  columns: readonly Column<Name>[],
  rows: readonly Row<Name>[],
  { header = true } = {},
): string {
  return stringify(
    rows.map((row) => columns.map((column) => cellOf(column, row[column.name]))),
    {
      columns: columns.map(({ name }) => name),
      header,
      record_delimiter: 'windows',
      escape_formulas: true,
      // The library quotes a whole line break only.
      quoted_match: /[\r\n]/,
      cast: { number: (cell, { index }) => formatNumber(cell, columns[index]) },
    },
  )
}

// Readers that look at the first rows only would take a column of whole numbers for integers, and fail at a fraction.
function formatNumber(cell: number, column: Column | undefined): string {
  const text = String(cell)
  return column?.type === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text
}
