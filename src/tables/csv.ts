import { stringify } from 'csv-stringify/sync'
import { type Column, cellOf, type Row } from './column.ts'

/** The media type of tables with a header. @see https://www.rfc-editor.org/rfc/rfc4180 */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * Formats rows as CSV, with a header by default. A text that a spreadsheet would run as a formula is prefixed with `'`.
 * Numbers, including negative ones, stay numbers.
 */
export function formatCsv<Name extends string>(
  columns: readonly Column<Name>[],
  rows: readonly Row<Name>[],
  { header = true } = {},
): string {
  const formatText = (text: string, { index }: { index: number }): string =>
    columns[index]?.type === 'figure' && NUMBER.test(text) ? text : escapeFormulas(text)
  return stringify(
    rows.map((row) => columns.map((column) => cellOf(column, row[column.name]))),
    {
      columns: columns.map(({ name }) => name),
      header,
      record_delimiter: 'windows',
      // Also quotes cells for readers with other separators. By default, the library quotes CRLF only.
      quoted_match: /[;\t\r\n]/,
      cast: { number: (cell, { index }) => formatNumber(cell, columns[index]), string: formatText },
    },
  )
}

// Some spreadsheets separate cells at `;` or tabs. Quotes do not protect against that, so each part of the text may become a
// cell. Full-width signs start a formula, too.
const FORMULA_STARTS = /(?<=^|[;\t\r\n])(?=["\s]*[=+@\uFF0B\uFF0D\uFF1D\uFF20-])|^(?=[\t\r])/g

const escapeFormulas = (text: string): string => text.replace(FORMULA_STARTS, "'")

/** What no spreadsheet runs, although it may start with a minus. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

function formatNumber(cell: number, column: Column | undefined): string {
  if (column?.type === 'time') return new Date(cell).toISOString()
  const text = String(cell)
  // Readers infer types from the first rows. If these were integers, a later fraction would fail.
  return column?.type === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text
}
