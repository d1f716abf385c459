import type { Approval, Proposal, SignedProposal } from './proposal.ts'
import type { Refusal } from './refusal.ts'
import { slotOf } from './slot.ts'

/** A live proposal, and what this member knows about it. */
export interface KnownProposal extends SignedProposal {
  readonly approvals: Map<string, Approval>
  /** The leader of its slot, who has signed it; null until the member has checked that. */
  leader: string | null
  /** This member's last refusal; null if there was none. */
  refusal: Refusal | null
  /** The check that is in progress. */
  checking: Promise<Refusal | null> | null
  /** Since when this member holds it, because its slot is over and too few have signed it; null if it does not. */
  heldSince: number | null
  /** When this member last sent its approval, by the machine's clock. */
  sentAt: number
  /** Whether it was handed over to be sent. */
  isDelivered: boolean
  isEnded: boolean
  /** Answers of other members: null for an approval. */
  readonly answers: Map<string, Refusal | null>
}

/** The live proposals that a member has received or made. */
export interface KnownProposals {
  get(hash: string): KnownProposal | null
  list(): readonly KnownProposal[]
  /**
   * Adds a proposal, or the approvals that are new. One member cannot fill the memory of the others: if there are too many
   * proposals of its first signer, the oldest one that nobody else has approved is removed. Returns null if there is none.
   */
  add(signed: SignedProposal): KnownProposal | null
  remove(hash: string): void
  /** Lists those that no block from this time on may include. */
  listExpired(time: number): readonly KnownProposal[]
  /** Returns another proposal of the same leader for the same slot and a common feed. Together they prove equivocation. */
  findTwin(known: KnownProposal): KnownProposal | null
}

/** The most live proposals of a signer. A lifetime has four slots, and a leader sends one transaction for 1 to 5 feeds. */
const MAX_OF_SIGNER = 200

export function createKnownProposals(): KnownProposals {
  const all = new Map<string, KnownProposal>()
  const firstSigner = ({ approvals }: SignedProposal) => approvals.keys().next().value

  /** Without removing, a member could fill its quota with junk, and so keep out what proves that it equivocates. */
  function makeRoom(signed: SignedProposal): boolean {
    const signer = firstSigner(signed)
    const ofSigner = [...all.values()].filter((each) => firstSigner(each) === signer)
    if (ofSigner.length < MAX_OF_SIGNER) return true
    const oldest = ofSigner.find(({ approvals, checking }) => approvals.size <= 1 && checking === null)
    return oldest !== undefined && all.delete(oldest.proposal.hash)
  }

  return {
    get: (hash) => all.get(hash) ?? null,
    list: () => [...all.values()],
    add(signed) {
      const { proposal, approvals } = signed
      let known = all.get(proposal.hash)
      if (known === undefined && !makeRoom(signed)) return null
      known ??= {
        proposal,
        approvals: new Map(),
        leader: null,
        refusal: null,
        checking: null,
        heldSince: null,
        sentAt: 0,
        isDelivered: false,
        isEnded: false,
        answers: new Map(),
      }
      for (const [key, approval] of approvals)
        if (!known.approvals.has(key)) known.approvals.set(key, approval)
      all.set(proposal.hash, known)
      return known
    },
    remove: (hash) => void all.delete(hash),
    listExpired: (time) => [...all.values()].filter(({ proposal }) => time > proposal.expiresAt),
    findTwin: (known) => [...all.values()].find((each) => each !== known && isTwin(each, known)) ?? null,
  }
}

const isTwin = (a: KnownProposal, b: KnownProposal): boolean =>
  a.leader !== null &&
  a.leader === b.leader &&
  slotOf(a.proposal.timestamp) === slotOf(b.proposal.timestamp) &&
  sharesFeed(a.proposal, b.proposal)

function sharesFeed(a: Proposal, b: Proposal): boolean {
  const feedIds = new Set(a.attestations.map(({ feed_id }) => feed_id))
  return b.attestations.some(({ feed_id }) => feedIds.has(feed_id))
}
