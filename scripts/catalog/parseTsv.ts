/** A fault in one line of the catalog's source files. */
export interface CatalogFault {
  file: string
  /** 1-based. */
  line: number
  /** A short name of the broken rule. */
  rule: string
  /** The fault and its fix. */
  message: string
}

/** Reports a fault in the file that is being read. */
export type Report = (line: number, rule: string, message: string) => void

/** One line of a table: its fields by column name. */
export interface TsvRow<Column extends string> {
  line: number
  fields: Record<Column, string>
}

// Any white space except single spaces between words; \s includes no-break spaces.
const STRAY_WHITE_SPACE = /^\s|\s$|\s{2}|[^\S ]/
const PRINTABLE_ASCII = /^[ -~]*$/

/**
 * Reads a table of tab-separated lines under a heading, and reports its faults.
 *
 * Skips lines with the wrong number of fields, and all lines if the heading is wrong. Quotes have no special meaning.
 *
 * @example
 * ```ts
 * import { parseTsv } from './parseTsv.ts'
 *
 * parseTsv({ text: 'id\tname\n1\tone\n', columns: ['id', 'name'], report: console.error })
 * // [{ line: 2, fields: { id: '1', name: 'one' } }]
 * ```
 */
export function parseTsv<const Column extends string>({
  text,
  columns,
  report,
}: {
  text: string
  columns: readonly Column[]
  report: Report
}): TsvRow<Column>[] {
  const lines = text.split('\n')
  const carriageReturn = lines.findIndex((line) => line.includes('\r'))
  if (carriageReturn >= 0) {
    report(carriageReturn + 1, 'line-end', 'holds a carriage return; save the file with LF line ends')
    return []
  }
  if (lines.at(-1) === '') lines.pop()
  else report(lines.length, 'line-end', 'does not end with a line feed; add one')

  const heading = columns.join('\t')
  if (lines[0] !== heading) {
    report(1, 'heading', `has to be ${JSON.stringify(heading)}; mend it (UTF-8, no byte order mark)`)
    return []
  }
  return lines.slice(1).flatMap((content, index) => {
    const line = index + 2
    const values = content.split('\t')
    if (values.length !== columns.length) {
      report(line, 'fields', `has ${values.length} fields, not ${columns.length}; put one tab between fields`)
      return []
    }
    const fields = Object.fromEntries(columns.map((column, at) => [column, values[at] ?? '']))
    for (const [column, value] of Object.entries(fields)) checkText(column, value, line, report)
    return [{ line, fields: fields as Record<Column, string> }]
  })
}

function checkText(column: string, value: string, line: number, report: Report): void {
  if (STRAY_WHITE_SPACE.test(value)) {
    report(line, 'white-space', `${column} holds stray white space; keep single spaces between words only`)
  } else if (!PRINTABLE_ASCII.test(value)) {
    report(line, 'ascii', `${column} is not plain ASCII; replace the character, or teach search to fold it`)
  }
}
