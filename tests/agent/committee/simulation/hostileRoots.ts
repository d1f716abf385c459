import { hash } from 'node:crypto'
import type { Side } from '@wattfeed/dataset/compare'
import { leaderOf } from '../../../../src/agent/committee/leader.ts'
import type { MemberChain, Notary, Peers } from '../../../../src/agent/committee/memberState.ts'
import type { Approvals, Proposal } from '../../../../src/agent/committee/proposal.ts'
import { slotOf, slotStart } from '../../../../src/agent/committee/slot.ts'
import type { AnnouncedRoot } from '../../../../src/agent/state/announcedRoots.ts'
import { ABSENT, type Content, contentOf, datasetFeed, openContent, PLACES } from './datasetLeaves.ts'

/** What a hostile member does with the roots of a dataset. It signs no value of another member. */
export type RootFault =
  /** It announces another invented root again and again, and answers with bytes that are none, too many, or late. */
  | 'invents roots'
  /** It announces another root again and again, hundreds of whose leaves differ, so that the others ask EIA for them. */
  | 'invents leaves'
  /** It announces what most others hold, so that they count on its signature, and answers the truth about it, but late. */
  | 'mimics'
  /** It tells each member that it holds the same root, and at the end of its slots proposes to one member what that member holds. */
  | 'flatters'
  /** It proposes roots that nobody has announced, one in each of its slots. */
  | 'proposes inventions'
  /** It proposes the next root and an invented one in each of its slots, each to half of the members. */
  | 'equivocates about roots'

export const rootFaults: readonly string[] = [
  'invents roots',
  'invents leaves',
  'mimics',
  'flatters',
  'proposes inventions',
  'equivocates about roots',
] satisfies RootFault[]

export interface HostileRootsOptions {
  fault: RootFault
  chain: MemberChain
  notary: Notary
  peers: Peers
  /** All members. */
  members: readonly string[]
  /** Snapshots of EIA, by root. */
  contents: ReadonlyMap<string, Content>
  random: () => number
  now: () => number
  sleep: (ms: number) => Promise<void>
  send: (member: string, proposal: Proposal, approvals: Approvals) => void
}

export interface RootMoves {
  tick(): Promise<void>
  announced(from: string, root: AnnouncedRoot): void
  /** Returns what it answers about a root. Null if it answers as an honest member. */
  openSide(root: Pick<AnnouncedRoot, 'root' | 'size'>): Side | null
}

/** How often it announces another root. */
const LOOK_MS = 20_000

/** How late it answers: shortly before the others give up. */
const LATE_MS = 15_000

/** How long before the end of its slot it proposes a root to one member alone. */
const BEFORE_END_MS = 100

/** Places of an invented snapshot with other leaves than EIA's. */
const INVENTED = 300

/** A code that EIA does not use. */
const FIRST_INVENTED = 1_000

/** A junk answer of this many bytes is too large. */
const HUGE_BYTES = 3_000_000

/** Creates the moves of a member that is hostile about roots. */
export function createHostileRoots(options: HostileRootsOptions): RootMoves {
  const { fault, chain, notary, peers, members, contents, random, now, sleep, send } = options
  const { feed_id: feedId } = datasetFeed
  const heard = new Map<string, AnnouncedRoot>()
  const invented = new Map<string, Content>()
  let announcedAt = 0
  let lastSlot = 0

  const announce = (root: AnnouncedRoot) => {
    for (const member of peers.members) peers.announce(member, feedId, root)
  }

  /** The newest root that most others have announced; null if none was. */
  function findMost(): AnnouncedRoot | null {
    const all = [...heard.values()]
    const holders = ({ root }: AnnouncedRoot) => all.filter((each) => each.root === root).length
    return all.toSorted((a, b) => holders(b) - holders(a) || b.began - a.began)[0] ?? null
  }

  /** All that invent at the same time invent the same, so that it looks like the root of several. */
  function invent(most: AnnouncedRoot): AnnouncedRoot {
    const look = Math.floor(now() / LOOK_MS)
    if (fault !== 'invents leaves') return { ...most, root: hash('sha256', `look ${look}`), began: now() }
    const base = contents.get(most.root)?.codes ?? new Uint16Array(PLACES)
    const content = contentOf(
      base.map((code, place) => {
        if (code === ABSENT || place >= INVENTED) return code
        return place === INVENTED - 1 ? FIRST_INVENTED + (look % 50_000) : FIRST_INVENTED
      }),
      now(),
    )
    const { root, size } = content.manifest
    invented.set(root, content)
    return { root, size, period: most.period, began: now() }
  }

  async function tickAnnouncements(): Promise<void> {
    const most = findMost()
    if (most === null || Math.floor(now() / LOOK_MS) === Math.floor(announcedAt / LOOK_MS)) return
    announcedAt = now()
    announce(fault === 'mimics' ? { ...most, began: now() } : invent(most))
  }

  async function tickProposals(): Promise<void> {
    const { block } = await chain.readView()
    const slot = slotOf(block.time)
    const most = findMost()
    if (most === null || slot === lastSlot || leaderOf(slot, members) !== notary.keyHash) return
    lastSlot = slot
    const { root, size, period } = most
    const proposed = [
      { root: hash('sha256', `slot ${slot}`), size },
      { root, size },
    ]
    const made = await Promise.all(
      proposed.map(({ root: source_hash }) =>
        notary.create(
          [{ feed_id: feedId, period, amount: BigInt(size), source_hash }],
          Math.max(block.time, slotStart(slot)),
        ),
      ),
    )
    for (const [at, member] of peers.members.entries()) {
      const proposal = made[fault === 'proposes inventions' ? 0 : at % 2]
      if (proposal === undefined) continue
      send(member, proposal, new Map([[notary.keyHash, await notary.sign(proposal)]]))
    }
  }

  /** Proposes to one member alone what that member holds, so that it can sign nothing else for two minutes. */
  async function tickLocks(): Promise<void> {
    const { block } = await chain.readView()
    const slot = slotOf(block.time)
    if (slot === lastSlot || leaderOf(slot, members) !== notary.keyHash) return
    lastSlot = slot
    await sleep(Math.max(0, slotStart(slot + 1) - now() - BEFORE_END_MS))
    const others = [...heard.values()]
    const told = others[Math.floor(random() * others.length)]
    if (told === undefined) return
    const { root: source_hash, size, period } = told
    const timestamp = Math.max(block.time, Math.min(now(), slotStart(slot + 1) - 1))
    const values = [{ feed_id: feedId, period, amount: BigInt(size), source_hash }]
    const proposal = await notary.create(values, timestamp)
    const approvals = new Map([[notary.keyHash, await notary.sign(proposal)]])
    for (const [member, { root }] of heard) if (root === source_hash) return send(member, proposal, approvals)
  }

  /** Bytes that are none, too many, or late. */
  async function junk(): Promise<Uint8Array> {
    const kind = random()
    if (kind < 0.4) await sleep(LATE_MS)
    if (kind < 0.6) return new Promise(() => {})
    return new Uint8Array(kind < 0.8 ? HUGE_BYTES : 36).fill(Math.floor(256 * random()))
  }

  const late = (side: Side): Side => ({
    ...side,
    digestsOf: (level, runs) => sleep(LATE_MS).then(() => side.digestsOf(level, runs)),
    leavesOf: (indices) => sleep(LATE_MS).then(() => side.leavesOf(indices)),
  })

  return {
    tick:
      fault === 'flatters'
        ? tickLocks
        : fault === 'proposes inventions' || fault === 'equivocates about roots'
          ? tickProposals
          : tickAnnouncements,
    announced(from, root) {
      // It echoes no other member that does so.
      if (fault === 'flatters' && root.began === 0) return
      heard.set(from, root)
      if (fault === 'flatters') peers.announce(from, feedId, { ...root, began: 0 })
    },
    openSide({ root, size }) {
      const content = invented.get(root)
      if (content !== undefined) return openContent(content, notary.keyHash)
      const copy = fault === 'mimics' ? contents.get(root) : undefined
      if (copy !== undefined) return late(openContent(copy, notary.keyHash))
      if (fault !== 'invents roots') return null
      return { name: notary.keyHash, root, size, digestsOf: junk, leavesOf: junk }
    },
  }
}
