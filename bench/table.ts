/** One measured case. Unmeasured fields are undefined. */
export interface Row {
  name: string
  rpcCalls?: number
  p50Ms?: number
  p99Ms?: number
  perSecond?: number
  /** Anything else that was measured, with its unit. */
  other?: string
  /** The target in words, and whether it was reached. */
  target?: string
  reached?: boolean
}

const columns = ['case', 'RPC calls', 'p50', 'p99', 'requests/s', 'other', 'to reach', 'reached']

/** Formats rows as a Markdown table. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    formatNumber(row.rpcCalls),
    formatMs(row.p50Ms),
    formatMs(row.p99Ms),
    formatNumber(row.perSecond),
    row.other ?? '',
    row.target ?? '',
    row.reached === undefined ? '' : row.reached ? 'yes' : '**no**',
  ])
  const lines = [columns, columns.map(() => '---'), ...cells]
  return lines.map((line) => `| ${line.join(' | ')} |\n`).join('')
}

function formatMs(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)} ms`
}

function formatNumber(value: number | undefined): string {
  return value === undefined ? '' : Math.round(value).toLocaleString('en-US')
}
