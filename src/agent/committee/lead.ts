import pLimit from 'p-limit'
import type { PlannedFeed } from '../plan/plan.ts'
import { pendingFeedIds } from '../state/attestPurpose.ts'
import { isBeforeEnd } from '../state/feedEnds.ts'
import { listApart } from './apart.ts'
import { checkFeed, findDisjoint, isAssociated } from './checkProposal.ts'
import { considerAll, deliver, sign } from './consider.ts'
import { findLeader } from './leader.ts'
import type { MemberState, MemberView } from './memberState.ts'
import type { Proposal } from './proposal.ts'
import { LIFETIME_MS, slotOf, slotStart } from './slot.ts'

/** How long a leader looks for a value that another member has found. One of EIA's servers may be behind another. */
const WANTED_MS = 2 * LIFETIME_MS

const FEEDS_AT_ONCE = 8

/** Proposes the next values of the wanted feeds, if this member is the leader. */
export async function lead(state: MemberState, view: MemberView): Promise<void> {
  const slot = slotOf(view.block.time)
  if (state.startRule.check(view.block) !== null || !isAssociated(state, view)) return
  if (findDisjoint(state, view) !== null) return
  // A lagging node may show this member's slot when it is over, or the plans may take too long. Two leaders at once would
  // each get some of the approvals, and both proposals would wait for the rest until they expire.
  const isOver = () => state.now() >= slotStart(slot + 1)
  if (isOver()) return
  if ((await findLeader(state, slot)) !== state.notary.keyHash) return
  const planned = await planWanted(state, { slot, view, live: await listLive(state) })
  // Completing a live proposal comes before making one. The plans may be of newer fetches than the last check of a proposal.
  await considerAll(state)
  const turn = { slot, view, live: await listLive(state) }
  const plans = planned.filter(({ feedId }) => !turn.live.has(feedId))
  const groups = [...state.group(plans, listApart(state, plans)), ...(await listBackfills(state, turn))]
  if (isOver()) return
  for (const attestations of groups) await propose(state, attestations, view)
}

async function listLive({ approvals }: MemberState): Promise<ReadonlySet<string>> {
  return new Set((await approvals.list()).flatMap(pendingFeedIds))
}

interface Turn {
  readonly slot: number
  readonly view: MemberView
  /** Feeds with a live approval. */
  readonly live: ReadonlySet<string>
}

/** Returns whether a feed has no live approval, and no earlier proposal in this slot. */
async function isFree({ approvals }: MemberState, feedId: string, turn: Turn): Promise<boolean> {
  if (turn.live.has(feedId)) return false
  const end = await approvals.lastEnd(feedId)
  return (
    !isBeforeEnd(turn.view.block, end) && (end === null || slotOf(end.expiresAt - LIFETIME_MS) !== turn.slot)
  )
}

/** Lists the past values that this member wants, and that its own rules allow. New values come first. */
async function listBackfills(state: MemberState, turn: Turn): Promise<Proposal['attestations'][]> {
  const groups: Proposal['attestations'][] = []
  for (const [feedId, values] of state.backfills) {
    if (!(await isFree(state, feedId, turn))) continue
    const plan = await state.chain.plan(feedId, turn.view)
    if (plan.error !== null || plan.steps.length > 0) continue
    if ((await checkFeed(state, feedId, values, turn.view)) === null) groups.push(values)
  }
  return groups
}

async function planWanted(state: MemberState, turn: Turn): Promise<PlannedFeed[]> {
  const { chain, roots, wanted, now } = state
  const plans = await pLimit(FEEDS_AT_ONCE).map(wanted, async ([feedId, saidAt]) => {
    if (!(await isFree(state, feedId, turn))) return []
    const plan = await chain.plan(feedId, turn.view)
    if (plan.error !== null) return []
    if (plan.steps.length > 0) return roots.isReady(feedId, turn.view.keys) ? [plan] : []
    if (now() > saidAt + WANTED_MS) wanted.delete(feedId)
    return []
  })
  return plans.flat()
}

async function propose(
  state: MemberState,
  attestations: Proposal['attestations'],
  view: MemberView,
): Promise<void> {
  const { notary } = state
  const proposal = await notary.create(attestations, view.block.time)
  const known = state.known.add({ proposal, approvals: new Map() })
  if (known === null) return
  known.leader = notary.keyHash
  state.onEvent({ event: 'proposed', proposal })
  const refusal = await sign(state, known, view)
  if (refusal !== null) state.known.remove(proposal.hash)
  else await deliver(state, known)
}
