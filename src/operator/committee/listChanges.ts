import type { Committee } from '../../committee/committee.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import type { Names } from './describeCommittee.ts'

export interface Change {
  /** `account-hash-…` of a key, or the name of a threshold. */
  what: string
  /** Weights; null if the key is not there. */
  from: number | null
  to: number | null
}

export function listChanges(before: Committee, after: Committee): Change[] {
  const keys = new Set([...before.weights.keys(), ...after.weights.keys()])
  const changes = [
    ...[...keys].map((what) => ({
      what,
      from: before.weights.get(what) ?? null,
      to: after.weights.get(what) ?? null,
    })),
    { what: 'deployment', from: before.deployment, to: after.deployment },
    { what: 'key_management', from: before.keyManagement, to: after.keyManagement },
  ]
  return changes.filter(({ from, to }) => from !== to)
}

const thresholdNames: Readonly<Record<string, string>> = {
  deployment: 'weight to send',
  key_management: 'weight to change keys',
}

export function formatChanges(changes: readonly Change[], names: Names): string {
  return formatTable(
    changes.map(({ what, from, to }) => [
      `  ${verbOf(from, to)}`,
      thresholdNames[what] ?? what,
      names.get(what) ?? '-',
      `${from ?? '-'} → ${to ?? '-'}`,
    ]),
  )
}

function verbOf(from: number | null, to: number | null): string {
  if (from === null) return 'add'
  return to === null ? 'remove' : 'change'
}
