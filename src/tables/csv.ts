import { stringify } from 'csv-stringify/sync'
import { type Column, cellOf, type Row } from './column.ts'

/** The media type of tables with a header. @see https://www.rfc-editor.org/rfc/rfc4180 */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * Formats rows as CSV, with a header unless they continue a table. A text that a spreadsheet would run as a formula gets
 * a `'` before the sign that begins it; numbers, negative ones too, stay numbers.
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
      // For readers of other separators, too. The library itself quotes a whole line break only.
      quoted_match: /[;\t\r\n]/,
      cast: { number: (cell, { index }) => formatNumber(cell, columns[index]), string: escapeFormulas },
    },
  )
}

// Some spreadsheets separate cells by `;` or tabs, and then a quote within a row protects nothing: each part of the text
// may become a cell of its own. Signs of full width begin a formula, too.
const FORMULA_STARTS = /(?<=^|[;\t\r\n])(?=["\s]*[=+@\uFF0B\uFF0D\uFF1D\uFF20-])|^(?=[\t\r])/g

const escapeFormulas = (text: string): string => text.replace(FORMULA_STARTS, "'")

function formatNumber(cell: number, column: Column | undefined): string {
  if (column?.type === 'time') return new Date(cell).toISOString()
  const text = String(cell)
  // Readers that look at the first rows only would take a column of whole numbers for integers, and fail at a fraction.
  return column?.type === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text
}
