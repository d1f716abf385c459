import type { AgentState } from '../state/openState.ts'
import { formatTransaction, type SignedProposal, type TransactionJson } from './proposal.ts'

/** How long an equivocator's proposals are refused, in milliseconds of chain time. */
const REFUSED_MS = 24 * 60 * 60_000

/** Two proposals of one leader for the same slot and a common feed. */
export interface Equivocation {
  readonly leader: string
  readonly first: SignedProposal
  readonly second: SignedProposal
}

/** Returns the transactions that prove an equivocation. */
export const evidenceOf = ({ first, second }: Pick<Equivocation, 'first' | 'second'>): TransactionJson[] =>
  [first, second].map(formatTransaction)

/** The leaders that have signed two proposals for one slot. */
export interface Equivocators {
  /** Until when a leader's proposals are refused, in epoch milliseconds of chain time; null if they are not. */
  refusedUntil(leader: string, time: number): number | null
  /**
   * Refuses the leader's proposals and stores the evidence. Never throws: if the disk fails, the conviction lasts until the
   * process ends. Returns null if they were refused before.
   */
  convict(equivocation: Equivocation): { storeError: Error | null } | null
}

/** @throws {StateFileError} */
export function openEquivocators({ file, destinationId }: AgentState): Equivocators {
  const { database } = file
  const stored = file.read(() =>
    database
      .query<{ leader: string; refused_until: number }, [number]>(
        'SELECT leader, refused_until FROM equivocation WHERE destination_id = ? ORDER BY refused_until',
      )
      .all(destinationId()),
  )
  const until = new Map(stored.map(({ leader, refused_until }) => [leader, refused_until]))
  const refusedUntil = (leader: string, time: number): number | null => {
    const end = until.get(leader) ?? 0
    return time < end ? end : null
  }
  return {
    refusedUntil,
    convict({ leader, first, second }) {
      const { timestamp } = first.proposal
      if (refusedUntil(leader, timestamp) !== null) return null
      const end = timestamp + REFUSED_MS
      until.set(leader, end)
      const evidence = JSON.stringify(evidenceOf({ first, second }))
      const storeError = file.writeLater(() =>
        database
          .query(
            'INSERT INTO equivocation (destination_id, leader, refused_until, evidence) VALUES (?, ?, ?, ?)',
          )
          .run(destinationId(), leader, end, evidence),
      )
      return { storeError }
    },
  }
}
