import type { JsonLines } from '../../runtime/jsonLines.ts'
import { asError } from '../send/sendBatch.ts'
import { formatTransaction, type SignedProposal, type TransactionJson } from './proposal.ts'

/** How long an equivocator's proposals are refused, in milliseconds of chain time. */
const REFUSED_MS = 24 * 60 * 60_000

/** Two proposals of one leader for the same slot and a common feed. */
export interface Equivocation {
  /** Account hash of the leader's key. */
  readonly leader: string
  readonly first: SignedProposal
  readonly second: SignedProposal
}

/** Returns the two transactions whose signatures prove an equivocation. */
export const evidenceOf = ({ first, second }: Pick<Equivocation, 'first' | 'second'>): TransactionJson[] =>
  [first, second].map(formatTransaction)

/** The leaders who equivocated. */
export interface Equivocators {
  /** Until when a leader's proposals are refused, in epoch milliseconds of chain time; null if they are not. */
  refusedUntil(leader: string, time: number): number | null
  /**
   * Refuses the leader's proposals and stores the evidence. Never throws: if the disk fails, the conviction lasts until the
   * process ends. Returns null if they were refused before.
   */
  convict(equivocation: Equivocation): Promise<{ storeError: Error | null } | null>
}

/** A stored conviction, without its evidence. */
export interface Conviction {
  readonly leader: string
  readonly until: number
}

/**
 * Creates the list of equivocators.
 *
 * @param earlier the convictions of earlier runs
 * @param evidence the file for new ones
 */
export function createEquivocators(earlier: readonly Conviction[], evidence: JsonLines): Equivocators {
  const until = new Map(earlier.map((each) => [each.leader, each.until]))
  const refusedUntil = (leader: string, time: number): number | null => {
    const end = until.get(leader) ?? 0
    return time < end ? end : null
  }
  return {
    refusedUntil,
    async convict({ leader, first, second }) {
      const { timestamp } = first.proposal
      if (refusedUntil(leader, timestamp) !== null) return null
      const conviction = { leader, until: timestamp + REFUSED_MS }
      until.set(leader, conviction.until)
      const line = JSON.stringify({ ...conviction, evidence: evidenceOf({ first, second }) })
      return { storeError: await evidence.append([line]).then(() => null, asError) }
    },
  }
}
