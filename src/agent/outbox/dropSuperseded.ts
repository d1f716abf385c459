import type { Attestation } from '../../registry/attestation.ts'
import type { NewAttestation } from '../../registry/calls.ts'

/** An attestation that is not sent, because another agent, or an earlier run, was first. */
export interface DroppedAttestation {
  readonly feedId: string
  readonly outcome: 'already_attested' | 'older_than_chain'
  /** What the chain holds. */
  readonly latest: Attestation
}

/** What is left to send, and what is not sent. */
export interface Kept {
  readonly kept: readonly NewAttestation[]
  readonly dropped: readonly DroppedAttestation[]
}

/**
 * Drops what the chain holds already (same period, amount and hash) and what is older than what it holds. Another
 * amount or hash for the same period is a revision, and stays.
 */
export function dropSuperseded(
  attestations: readonly NewAttestation[],
  latest: ReadonlyMap<string, Attestation | null>,
): Kept {
  const kept: NewAttestation[] = []
  const dropped: DroppedAttestation[] = []
  for (const each of attestations) {
    const newest = latest.get(each.feedId) ?? null
    const outcome = newest && outcomeOf(each, newest)
    if (newest === null || outcome === null) kept.push(each)
    else dropped.push({ feedId: each.feedId, outcome, latest: newest })
  }
  return { kept, dropped }
}

function outcomeOf(attestation: NewAttestation, latest: Attestation): DroppedAttestation['outcome'] | null {
  if (latest.period > attestation.period) return 'older_than_chain'
  return isSameValue(attestation, latest) ? 'already_attested' : null
}

/** Whether what the chain holds is what was to be attested. */
export const isSameValue = ({ period, amount, sourceHash }: NewAttestation, on: Attestation): boolean =>
  on.period === period && on.amount === amount && on.source_hash === sourceHash
