import { errorFields } from '../../runtime/errorFields.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import type { FeedOutcome } from '../feedOutcome.ts'

const head = ['feed', 'decision', 'period', 'value', 'unit', 'transaction']

/** What became of some feeds, for people: a table, what went wrong, and how many there were of each kind. */
export function formatOutcomes(outcomes: readonly FeedOutcome[]): string {
  const failed = outcomes.flatMap(({ feedId, error }) => (error ? [`${feedId}: ${error.message}`] : []))
  return [formatTable([head, ...outcomes.map(cellsOf)]), ...failed.map(printable), summaryOf(outcomes)].join(
    '\n',
  )
}

const cellsOf = ({
  feedId,
  decision,
  period,
  value,
  unit,
  transactionHash,
  error,
}: FeedOutcome): string[] => [
  feedId,
  decision ?? `error ${error === null ? '' : errorFields(error).code}`,
  String(period ?? '-'),
  value ?? '-',
  unit ?? '-',
  transactionHash ?? '-',
]

function summaryOf(outcomes: readonly FeedOutcome[]): string {
  const counts = new Map<string, number>()
  for (const { decision } of outcomes)
    if (decision !== null) counts.set(decision, (counts.get(decision) ?? 0) + 1)
  const failures = outcomes.filter(({ error }) => error !== null).length
  const words = [...counts].map(([decision, count]) => `${count} ${decision}`)
  return [...words, ...(failures === 0 ? [] : [`${failures} failed`])].join(', ')
}
