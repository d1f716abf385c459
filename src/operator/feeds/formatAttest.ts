import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import { formatCspr } from '../cspr.ts'
import type { AttestReport, SettledBefore } from './attestReport.ts'

/** What `attest` has done, for people. */
export function formatAttest(report: AttestReport): string {
  const { feed_id, decision, error, is_dry_run, charged_motes, settled_before } = report
  const paid = charged_motes === null ? 'nothing was paid' : `paid ${formatCspr(BigInt(charged_motes))}`
  return [
    ...settled_before.map(formatSettled),
    printable(`${feed_id}: ${decision ?? error?.message ?? ''}`),
    formatTable(rowsOf(report)),
    is_dry_run ? 'nothing was sent' : paid,
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function rowsOf(report: AttestReport): string[][] {
  const { period, value, unit, amount, source_hash, transaction_hash, block_height } = report
  const rows: [string, string | number | null][] = [
    ['period', period],
    ['value', value === null ? null : [value, unit].join(' ').trimEnd()],
    ['amount', amount],
    ['source hash', source_hash],
    ['transaction', transaction_hash],
    ['block', block_height],
  ]
  return rows.flatMap(([name, fact]) => (fact === null ? [] : [[`  ${name}`, String(fact)]]))
}

const formatSettled = ({ transaction_hash, feed_ids, outcome }: SettledBefore): string =>
  printable(`pending from before: ${transaction_hash} (${feed_ids.join(', ')}) ${outcome}`)
