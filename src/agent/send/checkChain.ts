import { defineError } from '@wattfeed/base'
import { readablePeriod } from '@wattfeed/eia'
import type { Attestation, Reads } from 'wattfeed'
import type { NewAttestation } from 'wattfeed/internal'
import { type ChainValue, type Decision, isSameValue, type SourcedAttestation } from '../plan/decide.ts'
import { assertNotBefore, type DatedView } from '../state/settledBlocks.ts'

/** An attestation that is not sent, because another agent or an earlier run was first. */
export interface DroppedAttestation {
  readonly feedId: string
  readonly decision: Extract<Decision, 'unchanged' | 'older-than-chain'>
  /** The value on chain. */
  readonly latest: Attestation
}

/** Attestations to send, and those that the chain makes superfluous. */
export interface Kept {
  readonly kept: readonly SourcedAttestation[]
  readonly dropped: readonly DroppedAttestation[]
}

/** What a plan is based on: the chain as it was when the plan was made. */
export interface Basis {
  /** The newest value of their common feed; null if it must have none. */
  readonly basedOn: ChainValue | null
  /** Height of the block at which the chain was read. A committee needs it: what it attests later is new to a plan. */
  readonly height?: number
  /** Whether they are of the past: no member of a committee finds them by itself. @default false */
  readonly isPast?: boolean
}

/** The chain at its newest block. */
export interface CheckedView extends DatedView {
  readonly at: Pick<Reads, 'getClaimant' | 'getValue'>
}

/**
 * Reads claimant and newest value of every feed at one block, and drops superseded attestations. With a basis, nothing is
 * dropped: either all attestations are sent, or none.
 *
 * @throws {LaggingValueError}
 * @throws {NotClaimantError}
 * @throws {NothingToAttestError}
 * @throws {ChainMovedError}
 */
export async function checkChain(
  view: CheckedView,
  accountHash: string,
  attestations: readonly SourcedAttestation[],
  basis: Basis | null = null,
): Promise<Kept> {
  const feeds = await Promise.all(
    feedIdsOf(attestations).map(async (feedId) => {
      assertNotBefore(feedId, view)
      const [claimant, latest] = await Promise.all([view.at.getClaimant(feedId), view.at.getValue(feedId)])
      return { feedId, claimant, latest }
    }),
  )
  const foreign = feeds.filter(({ claimant }) => claimant !== accountHash)
  if (foreign.length > 0)
    throw new NotClaimantError({
      accountHash,
      claims: foreign.map(({ feedId, claimant }) => ({ feedId, claimant })),
    })
  if (basis !== null) {
    for (const { feedId, latest } of feeds) assertBasis(feedId, basis, latest)
    return { kept: attestations, dropped: [] }
  }
  const latest = new Map<string, Attestation | null>(feeds.map((each) => [each.feedId, each.latest]))
  const kept = dropSuperseded(attestations, latest)
  if (kept.kept.length === 0) throw new NothingToAttestError({ dropped: kept.dropped })
  return kept
}

/**
 * Drops attestations that the chain already has (same period, amount and hash), and older ones. Another amount or hash for
 * the same period is a revision, and kept.
 */
export function dropSuperseded(
  attestations: readonly SourcedAttestation[],
  latest: ReadonlyMap<string, Attestation | null>,
): Kept {
  const kept: SourcedAttestation[] = []
  const dropped: DroppedAttestation[] = []
  for (const each of attestations) {
    const newest = latest.get(each.feed_id) ?? null
    const decision = newest && dropReason(each, newest)
    if (newest === null || decision === null) kept.push(each)
    else dropped.push({ feedId: each.feed_id, decision, latest: newest })
  }
  return { kept, dropped }
}

function dropReason(attestation: NewAttestation, latest: Attestation): DroppedAttestation['decision'] | null {
  if (latest.period > attestation.period) return 'older-than-chain'
  return isSameValue(attestation, latest) ? 'unchanged' : null
}

/** Asserts that the chain's newest value of a feed is still that of the basis. @throws {ChainMovedError} */
export function assertBasis(feedId: string, { basedOn }: Basis, found: ChainValue | null): void {
  const isSame = found === null ? basedOn === null : isSameValue(found, basedOn)
  if (!isSame) throw new ChainMovedError({ feedId, expected: basedOn, found })
}

/** Returns the feeds' ids in order, without duplicates. */
export const feedIdsOf = (attestations: readonly Pick<NewAttestation, 'feed_id'>[]): string[] => [
  ...new Set(attestations.map(({ feed_id }) => feed_id)),
]

/** A feed and its claimant; null if it is not registered. */
export interface Claim {
  readonly feedId: string
  readonly claimant: string | null
}

/** The account may not attest to some of the feeds, so the whole call would fail. It was not sent. */
const NotClaimantError = defineError(
  'NotClaimantError',
  'not_claimant',
  (facts: {
    /** `account-hash-…` */
    accountHash: string
    /** The feeds of other claimants. */
    claims: readonly Claim[]
  }) => {
    const named = facts.claims.map(
      ({ feedId, claimant }) =>
        `${feedId} (${claimant === null ? 'not registered' : `claimed by ${claimant}`})`,
    )
    return `${facts.accountHash} may not attest to ${named.join(', ')}; use the claimant's key or register the feed first`
  },
)

/** The chain already has these values or newer ones. Nothing was sent. */
export const NothingToAttestError = defineError(
  'NothingToAttestError',
  'nothing_to_attest',
  (facts: { dropped: readonly DroppedAttestation[] }) => {
    const named = facts.dropped.map(
      ({ feedId, decision, latest }) => `${feedId} (${decision}: ${readablePeriod(latest.period)})`,
    )
    return `nothing was sent: the chain already has these values or newer ones: ${named.join(', ')}`
  },
)

/** The chain's newest value of a feed differs from the one that the plan is based on. Nothing was sent. */
export const ChainMovedError = defineError(
  'ChainMovedError',
  'chain_moved',
  (facts: { feedId: string; expected: ChainValue | null; found: ChainValue | null }) =>
    `the newest value of ${facts.feedId} on chain is ${wordsOf(facts.found)}, not ${wordsOf(facts.expected)}: another agent attests it, or the node lags; the next cycle decides again`,
  { retryable: true },
)

const wordsOf = (value: ChainValue | null): string =>
  value === null ? 'none' : `${value.amount} of period ${readablePeriod(value.period)}`
