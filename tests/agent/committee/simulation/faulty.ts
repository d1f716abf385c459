import { leaderOf } from '../../../../src/agent/committee/leader.ts'
import type { MemberChain, MemberView, Notary, Peers } from '../../../../src/agent/committee/memberState.ts'
import { type Approvals, formatTransaction, type Proposal } from '../../../../src/agent/committee/proposal.ts'
import { slotOf, slotStart } from '../../../../src/agent/committee/slot.ts'
import type { Content } from './datasetLeaves.ts'
import type { EiaModel } from './eia.ts'
import { DISPUTED } from './eia.ts'
import { createPairing, createTail } from './hostile.ts'
import { createHostileRoots, type RootFault, type RootMoves, rootFaults } from './hostileRoots.ts'
import { isSigned } from './notary.ts'
import { createSplit } from './split.ts'

/** What a faulty member does. */
export type Fault =
  /** It is down, or says nothing. */
  | 'stalls'
  /** Its EIA server lies, and all liars have the same wrong value. */
  | 'lies'
  /** It takes part, but forwards no approval and sends no transaction. */
  | 'withholds'
  /** It sends many proposals out of turn: of feeds that exist and that do not, with its own values and with EIA's. */
  | 'floods'
  /** It proposes two transactions for the same feed and slot, and shows each member only one. */
  | 'equivocates'
  /** It proposes two transactions for the same feed and slot: one to all, and the other to one member only. */
  | 'whispers'
  /** It proposes what is next, with timestamps that have expired or that are still to come. */
  | 'mistimes'
  /** It answers each proposal of another leader with one of its own, which it shows to a few members, and signs no other. */
  | 'splits'
  /** At the end of each of its slots, it proposes all that is next together with a feed that some do not attest. It signs no other. */
  | 'tails'
  /** It answers each honest proposal with one of its last slot, which all that pair sign, and signs no other. */
  | 'pairs'
  /** It equivocates, and signs everything. */
  | 'signs twice'
  /** It signs everything, but makes only one proposal in a slot, so that nothing proves its fault. */
  | 'signs all'
  | RootFault

export interface FaultyOptions {
  fault: Fault
  chain: MemberChain
  notary: Notary
  peers: Peers
  eia: EiaModel
  /** Snapshots of EIA's dataset, by root. */
  contents: ReadonlyMap<string, Content>
  members: readonly string[]
  /** The members with the same fault. */
  accomplices: readonly string[]
  random: () => number
  now: () => number
  sleep: (ms: number) => Promise<void>
  /** Returns past values that the member might backfill; none if nobody backfills. */
  listBackfill: (view: MemberView) => Proposal['attestations']
}

/** The own moves of a faulty member. */
export interface FaultyMoves {
  tick(): Promise<void>
  receive(transaction: unknown): Promise<void>
  /** What it does about roots; null if that is nothing special. */
  readonly roots: RootMoves | null
}

/** The faults of members that make moves of their own. */
const MOVING: readonly (Fault | null)[] = [
  'equivocates',
  'whispers',
  'mistimes',
  'splits',
  'tails',
  'pairs',
  'signs twice',
  'signs all',
  'floods',
]

export const isRootFault = (fault: Fault | null): fault is RootFault =>
  fault !== null && rootFaults.includes(fault)

export const hasMoves = (fault: Fault | null): fault is Fault => MOVING.includes(fault) || isRootFault(fault)

/** Whether a member signs nothing but its own proposals, and those of its accomplices. */
export const signsNoOther = (fault: Fault | null): boolean =>
  fault === 'splits' || fault === 'tails' || fault === 'pairs' || isRootFault(fault)

/** Whether a member's messages take a tenth of a second at most. */
export const isFast = (fault: Fault | null): boolean =>
  fault === 'tails' || fault === 'pairs' || fault === 'flatters'

/** Whether a member signs whatever arrives. */
export const signsAll = (fault: Fault | null): boolean => fault === 'signs twice' || fault === 'signs all'

/** Creates the moves of a member that {@link hasMoves}. */
export function createFaultyMoves(options: FaultyOptions): FaultyMoves {
  const { fault, chain, notary, peers, members, random } = options
  const pairs = new Map<number, readonly Proposal[]>()
  const collected = new Map<string, Map<string, { signer: string; signature: string }>>()

  const send = (member: string, proposal: Proposal, approvals: Approvals) =>
    void peers.send(member, formatTransaction({ proposal, approvals })).catch(() => {})

  async function signed(proposal: Proposal): Promise<Approvals> {
    return new Map([[notary.keyHash, await notary.sign(proposal)]])
  }

  const split =
    fault === 'splits'
      ? createSplit({
          ...options,
          send: async (member, proposal) => send(member, proposal, await signed(proposal)),
        })
      : null

  const listNext = async () => listNextAt(await chain.readView())
  const hostile = { ...options, listNext, send }
  const tail = fault === 'tails' ? createTail(hostile, DISPUTED) : null
  const pair = fault === 'pairs' ? createPairing(hostile) : null
  const roots = isRootFault(fault) ? createHostileRoots({ ...hostile, fault }) : null

  /** Proposes what is next, twice. One that signs all proposes it once, to half of the members at a time. */
  async function equivocate(view: MemberView): Promise<void> {
    const slot = slotOf(view.block.time)
    if (leaderOf(slot, members) !== notary.keyHash) return
    const pair = pairs.get(slot) ?? (await createPair(view))
    if (pair.length > 0) pairs.set(slot, pair)
    const [first] = pair
    const confidant = peers.members[slot % peers.members.length]
    for (const member of peers.members) {
      const isOpen = fault === 'whispers' && member !== confidant
      const proposal = isOpen ? first : pair[Math.floor(2 * random())]
      if (proposal !== undefined) send(member, proposal, await signed(proposal))
    }
  }

  /** Proposes what is next in another slot of its own, or at the end of its current one. */
  async function mistime(view: MemberView): Promise<void> {
    const now = slotOf(view.block.time)
    const slots = Array.from({ length: 4 * members.length }, (_, index) => now + members.length - index)
    const own = slots.filter((slot) => leaderOf(slot, members) === notary.keyHash)
    const slot = own[Math.floor(random() * own.length)]
    if (slot === undefined) return
    const attestations = await nextValues(view)
    if (!pairs.has(slot) && attestations.length > 0)
      pairs.set(slot, [await notary.create(attestations, slotStart(slot + 1) - 1)])
    for (const proposal of pairs.get(slot) ?? [])
      for (const member of peers.members) send(member, proposal, await signed(proposal))
  }

  async function createPair(view: MemberView): Promise<Proposal[]> {
    const attestations = await nextValues(view)
    if (attestations.length === 0) return []
    const { time } = view.block
    const timestamps = fault === 'signs all' ? [time] : [time, time - 1]
    return Promise.all(timestamps.map((timestamp) => notary.create(attestations, timestamp)))
  }

  /** Half of the time what was attested already, for members whose nodes lag. */
  async function nextValues(view: MemberView): Promise<Proposal['attestations']> {
    const back = random() < 0.5 ? 0 : Math.floor(8 * random())
    const old = { ...view, block: { ...view.block, height: Math.max(0, view.block.height - back) } }
    const past = options.listBackfill(view)
    if (past.length > 0 && random() < 0.5) return past
    return listNextAt(old)
  }

  async function listNextAt(view: MemberView): Promise<Proposal['attestations']> {
    const plans = await Promise.all(options.eia.feeds.map(({ feed_id }) => chain.plan(feed_id, view)))
    return plans.flatMap((plan) => (plan.error === null ? (plan.steps[0] ?? []) : [])).slice(0, 5)
  }

  async function flood(view: MemberView): Promise<void> {
    const values = await nextValues(view)
    for (let count = 0; count < 2; count++) {
      const feed_id = random() < 0.5 ? `junk ${random()}` : `EIA.${'ABC'.charAt(3 * random())}`
      const period = values[0]?.period ?? 20260101
      const junk = { feed_id, period, amount: BigInt(Math.floor(9_999 * random())), source_hash: 'ff' }
      const proposal = await notary.create([junk], view.block.time - Math.floor(60_000 * random()))
      for (const member of peers.members) send(member, proposal, await signed(proposal))
    }
    if (values.length === 0) return
    const member = peers.members[Math.floor(random() * peers.members.length)]
    const proposal = await notary.create(values, view.block.time - Math.floor(20_000 * random()))
    if (member !== undefined) send(member, proposal, await signed(proposal))
  }

  return {
    roots,
    async tick() {
      if (tail !== null) return tail()
      if (roots !== null) return roots.tick()
      if (fault === 'splits' || fault === 'pairs') return
      const view = await chain.readView()
      if (fault === 'mistimes') await mistime(view)
      else if (fault === 'floods') await flood(view)
      else await equivocate(view)
    },
    /** Signs whatever arrives, and passes it on with everything that it has collected. */
    async receive(transaction) {
      await split?.(transaction)
      await pair?.(transaction)
      if (!signsAll(fault)) return
      const { keys } = await chain.readView()
      const read = await notary.read(transaction, keys)
      if ('refusal' in read) return
      const { proposal, approvals } = read
      const all = collected.get(proposal.hash) ?? new Map()
      collected.set(proposal.hash, all)
      const before = all.size
      for (const [key, approval] of approvals) if (isSigned(approval, proposal.hash)) all.set(key, approval)
      all.set(notary.keyHash, await notary.sign(proposal))
      if (all.size > before) for (const member of peers.members) send(member, proposal, all)
    },
  }
}
