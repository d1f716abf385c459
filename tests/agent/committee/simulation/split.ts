import { leaderOf } from '../../../../src/agent/committee/leader.ts'
import type { MemberChain, Notary } from '../../../../src/agent/committee/memberState.ts'
import type { Proposal } from '../../../../src/agent/committee/proposal.ts'
import { LIFETIME_MS, slotOf, slotStart } from '../../../../src/agent/committee/slot.ts'

export interface SplitOptions {
  chain: MemberChain
  notary: Notary
  /** All members. */
  members: readonly string[]
  random: () => number
  /** Sends a proposal with the own signature. */
  send: (member: string, proposal: Proposal) => void
}

/** What is left of a lifetime must be long enough for the others to sign. */
const MIN_LEFT_MS = 5_000

/**
 * Creates the reaction of a member to the proposals of other leaders: it sends two or three members one of its own, with the same
 * values, in its last, current or next slot. It makes one proposal for a feed and slot, so that nothing proves its fault.
 */
export function createSplit({ chain, notary, members, random, send }: SplitOptions) {
  const made = new Map<string, string>()
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)
  /** Whether it uses its last, current or next slot: -1, 0 or 1. */
  const kind = Math.floor(3 * random()) - 1

  /** Lists times in its slots of this kind, the latest ones of the past first. */
  function listTimes(now: number): number[] {
    const slots = Array.from({ length: members.length + 1 }, (_, away) => slotOf(now) + (kind || -1) * away)
    return slots
      .filter((slot) => leaderOf(slot, members) === notary.keyHash && Math.sign(slot - slotOf(now)) === kind)
      .map((slot) => (kind < 0 ? slotStart(slot + 1) - 1 : Math.max(now, slotStart(slot))))
  }

  /** Makes a proposal, or returns null if it would equivocate. */
  async function make(attestations: Proposal['attestations'], time: number): Promise<Proposal | null> {
    const proposal = await notary.create(attestations, time)
    const places = attestations.map(({ feed_id }) => `${slotOf(time)} ${feed_id}`)
    if (places.some((place) => (made.get(place) ?? proposal.hash) !== proposal.hash)) return null
    for (const place of places) made.set(place, proposal.hash)
    return proposal
  }

  return async (transaction: unknown): Promise<void> => {
    const { block, keys } = await chain.readView()
    const read = await notary.read(transaction, keys)
    if ('refusal' in read) return
    const leader = leaderOf(slotOf(read.proposal.timestamp), members)
    if (leader === notary.keyHash) return
    for (const time of listTimes(block.time)) {
      if (time + LIFETIME_MS < block.time + MIN_LEFT_MS) continue
      const proposal = await make(read.proposal.attestations, time)
      if (proposal === null) continue
      const others = members.filter((member) => member !== leader && member !== notary.keyHash)
      for (const member of shuffled(others).slice(0, random() < 0.5 ? 2 : 3)) send(member, proposal)
      return
    }
  }
}
