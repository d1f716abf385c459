import { leaderOf } from '../../../../src/agent/committee/leader.ts'
import type { MemberChain, Notary } from '../../../../src/agent/committee/memberState.ts'
import type { Approvals, Proposal } from '../../../../src/agent/committee/proposal.ts'
import { LIFETIME_MS, SLOT_MS, slotOf, slotStart } from '../../../../src/agent/committee/slot.ts'
import { createModelNotary } from './notary.ts'

export interface HostileOptions {
  chain: MemberChain
  notary: Notary
  /** All members. */
  members: readonly string[]
  /** The hostile ones. */
  accomplices: readonly string[]
  random: () => number
  /** The machine's clock. */
  now: () => number
  sleep: (ms: number) => Promise<void>
  /** Returns what is next, of all feeds. */
  listNext: () => Promise<Proposal['attestations']>
  /** Sends a proposal with approvals. */
  send: (member: string, proposal: Proposal, approvals: Approvals) => void
}

/** How long before the end of its slot it proposes. */
const TAIL_MS = 100

/** How long before the end of its slot it reads what is next: more than the time between two of its ticks. */
const READING_MS = 3_500

/**
 * Creates the moves of a member that waits in its own slots, and proposes at the end of each what is next, in one transaction with a
 * feed that some do not attest. The others lock it, and the next leader cannot propose before them. It makes one proposal in a slot,
 * so that nothing proves its fault.
 */
export function createTail(
  { notary, members, now, sleep, listNext, send }: HostileOptions,
  disputed: string,
) {
  let last = 0
  return async (): Promise<void> => {
    const slot = slotOf(now())
    const end = slotStart(slot + 1)
    if (leaderOf(slot, members) !== notary.keyHash || end - now() > READING_MS || slot === last) return
    const values = await listNext()
    if (!values.some(({ feed_id }) => feed_id === disputed)) return
    await sleep(Math.max(0, end - TAIL_MS - now()))
    last = slot
    const proposal = await notary.create(values, Math.min(end - 1, now()))
    const approvals = new Map([[notary.keyHash, await notary.sign(proposal)]])
    for (const member of members) if (member !== notary.keyHash) send(member, proposal, approvals)
  }
}

/** What is left of a lifetime must be long enough for the others to sign. */
const MIN_LEFT_MS = 5_000

/**
 * Creates the reaction of a member with accomplices to an honest proposal: it sends one or two members its own of the same values, of
 * the end of its last slot, signed by all accomplices. It makes one proposal for a feed and slot.
 */
export function createPairing({ chain, notary, members, accomplices, random, now, send }: HostileOptions) {
  const made = new Map<string, string>()
  const answered = new Set<string>()

  function endOfLastSlot(): number {
    const current = slotOf(now())
    const before = members.map((_, away) => current - 1 - away)
    const own = before.find((slot) => leaderOf(slot, members) === notary.keyHash) ?? current
    return slotStart(own) + SLOT_MS - 1
  }

  return async (transaction: unknown): Promise<void> => {
    const read = await notary.read(transaction, (await chain.readView()).keys)
    if ('refusal' in read || answered.has(read.proposal.hash)) return
    const { approvals, proposal } = read
    const leader = leaderOf(slotOf(proposal.timestamp), members) ?? ''
    if (accomplices.includes(leader)) return
    answered.add(proposal.hash)
    const time = endOfLastSlot()
    if (time + LIFETIME_MS < now() + MIN_LEFT_MS) return
    const own = await notary.create(proposal.attestations, time)
    const places = proposal.attestations.map(({ feed_id }) => `${slotOf(time)} ${feed_id}`)
    if (places.some((place) => (made.get(place) ?? own.hash) !== own.hash)) return
    for (const place of places) made.set(place, own.hash)
    const signed = await Promise.all(
      accomplices.map(async (name) => [name, await createModelNotary(name).sign(own)] as const),
    )
    const victims = members
      .filter((name) => name !== leader && !accomplices.includes(name) && !approvals.has(name))
      .map((name) => ({ name, at: random() }))
      .sort((a, b) => a.at - b.at)
    for (const { name } of victims.slice(0, random() < 0.5 ? 1 : 2)) send(name, own, new Map(signed))
  }
}
