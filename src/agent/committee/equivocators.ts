import type { JsonLines } from '../../runtime/jsonLines.ts'
import { formatTransaction, type SignedProposal } from './proposal.ts'

/** How long an equivocator's proposals are refused, in milliseconds of chain time. */
const REFUSED_MS = 24 * 60 * 60_000

/** Two proposals of one leader for the same slot and a common feed. */
export interface Equivocation {
  /** Account hash of the leader's key. */
  readonly leader: string
  readonly first: SignedProposal
  readonly second: SignedProposal
}

/** The leaders who equivocated. */
export interface Equivocators {
  /** Until when a leader's proposals are refused, in epoch milliseconds of chain time; null if they are not. */
  refusedUntil(leader: string, time: number): number | null
  /** Refuses the leader's proposals and stores the evidence. Returns false if they were refused before. */
  convict(equivocation: Equivocation): Promise<boolean>
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
      if (refusedUntil(leader, timestamp) !== null) return false
      const conviction = { leader, until: timestamp + REFUSED_MS }
      until.set(leader, conviction.until)
      await evidence.append([
        JSON.stringify({ ...conviction, evidence: [formatTransaction(first), formatTransaction(second)] }),
      ])
      return true
    },
  }
}
