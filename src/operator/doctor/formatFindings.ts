import { formatTable } from '../../runtime/formatTable.ts'
import { typedProgram } from '../../runtime/isFromSource.ts'
import { printable } from '../../runtime/printable.ts'
import { plural } from '../plural.ts'
import type { Finding } from './finding.ts'

const marks = { passed: 'ok', warned: 'look', failed: 'FAILED', skipped: 'skipped' } as const

/** Formats findings as a table, and what follows from them. A node's and EIA's texts are in them, so control characters are escaped. */
export function formatFindings(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ state, check, found, cure }) => [
    [marks[state], check, found],
    ...(cure === null ? [] : [['', '', `→ ${cure}`]]),
  ])
  const table = formatTable(rows.map((row) => row.map(printable)))
  return [table, conclusion(findings)].join('\n')
}

function conclusion(findings: readonly Finding[]): string {
  const failures = findings.filter(({ state }) => state === 'failed').length
  const skips = findings.filter(({ state }) => state === 'skipped').length
  if (failures > 0)
    return `${failures} to mend before the agent can run${skips === 0 ? '' : `; ${plural(skips, 'check')} had to wait for that`}`
  return findings.some(({ state }) => state === 'warned')
    ? 'the agent can run; look at what is marked'
    : `the agent can run: "${typedProgram} agent --once --dry-run" tries it without sending`
}
