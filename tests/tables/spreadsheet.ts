/**
 * Returns the cells that a spreadsheet may make of a CSV text: those of a reader that knows quotes, and where the
 * separator is another one than ours, also those of one that does not.
 */
export function spreadsheetCells(csv: string, separator: ',' | ';' | '\t'): string[] {
  const cells = parseRows(csv, separator).flat()
  if (separator === ',') return cells
  return [...cells, ...csv.split(new RegExp(`[${separator}\r\n]`)).map((cell) => cell.replace(/^["\s]+/, ''))]
}

/** Whether a spreadsheet would run a cell: a number is none, also a negative one. */
export const isFormula = (cell: string): boolean =>
  /^\s*[=+@＋－＝＠-]/.test(cell) && !/^-\d+(\.\d+)?(e[+-]\d+)?(,|$)/.test(cell)

/** Parses CSV as RFC 4180 has it; a quote within a cell is a character, as spreadsheets read it. */
export function parseRows(csv: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < csv.length; at++) {
    const sign = csv.charAt(at)
    if (isQuoted && sign === '"' && csv[at + 1] === '"') cell += csv[at++]
    else if (isQuoted && sign === '"') isQuoted = false
    else if (isQuoted) cell += sign
    else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === separator || sign === '\n') {
      row.push(sign === '\n' ? cell.replace(/\r$/, '') : cell)
      cell = ''
      if (sign === '\n') rows.push(row.splice(0))
    } else cell += sign
  }
  row = cell === '' ? row : [...row, cell]
  return row.length > 0 ? [...rows, row] : rows
}
