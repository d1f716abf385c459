import type { NewAttestation } from 'wattfeed/internal'
import { findDisjointQuorums } from '../../committee/committee.ts'
import type { ViewedBlock } from '../plan/plan.ts'
import { isBeforeEnd } from '../state/feedEnds.ts'
import { checkApart } from './apart.ts'
import { broadcast } from './broadcast.ts'
import { checkBackfill, isBackfill } from './checkBackfill.ts'
import { checkValues } from './checkValues.ts'
import { hasHonestSigner } from './hasHonestSigner.ts'
import type { KnownProposal } from './knownProposals.ts'
import { findLeader } from './leader.ts'
import { isApproved, type MemberOptions, type MemberState, type MemberView } from './memberState.ts'
import { type Proposal, storedProposal, valuesByFeed } from './proposal.ts'
import { type Refusal, refuse } from './refusal.ts'
import { SLOT_MS, slotOf, slotStart } from './slot.ts'

/** How long after its slot a proposal may arrive. The next leader cannot propose before it sees a block of its own slot. */
const TRAVEL_MS = 3_000

/**
 * Checks that the leader of its slot has signed a proposal. Forgets it otherwise: the leader of a slot does not change. A
 * leader that has signed two is convicted.
 */
export async function checkLeader(
  state: MemberState,
  known: KnownProposal,
  { block }: MemberView,
): Promise<Refusal | null> {
  const { timestamp, hash } = known.proposal
  const slot = slotOf(timestamp)
  if (slotStart(slot) > block.time || timestamp > Math.max(block.time, state.now()))
    return refuse('stale_node', `this member's newest block is ${block.height}, before the proposal's slot`)
  const leader = known.leader ?? (await findLeader(state, slot))
  if (leader === null || !known.approvals.has(leader)) {
    state.known.remove(hash)
    return refuse('not_leader', `the leader of its slot is ${leader}, who has not signed it`)
  }
  known.leader = leader
  await convictTwin(state, known)
  return null
}

/** Looks for a second proposal of the leader, which proves equivocation, and forwards both. */
async function convictTwin(state: MemberState, known: KnownProposal): Promise<void> {
  const { leader } = known
  const twin = state.known.findTwin(known)
  if (twin === null || leader === null) return
  const equivocation = { leader, first: twin, second: known }
  const conviction = await state.equivocators.convict(equivocation)
  if (conviction === null) return
  state.onEvent({ event: 'equivocated', equivocation, ...conviction })
  broadcast(state, twin)
  broadcast(state, known)
}

/** Returns whether the account has this member's key at a block. */
export const isAssociated = ({ notary }: MemberState, { keys }: MemberView): boolean =>
  keys.weights.has(notary.keyHash)

/** Returns what is wrong with the keys of a view: two groups may sign without a common key. Null if nothing is. */
export const findDisjoint = (
  { recovery }: Pick<MemberOptions, 'recovery'>,
  view: Pick<MemberView, 'keys'> | null,
): string | null =>
  view && findDisjointQuorums({ weights: view.keys.weights, recovery, deployment: view.keys.threshold })

/** Checks everything that depends on this member: its state, its approvals, and its own values. */
export async function checkApproval(
  state: MemberState,
  known: KnownProposal,
  view: MemberView,
): Promise<Refusal | null> {
  const { startRule, approvals, equivocators } = state
  const { block } = view
  const { proposal, leader } = known
  if (isApproved(state, known)) return null
  const untimely = startRule.check(block) ?? checkExpiry(proposal, block)
  if (untimely !== null) return untimely
  const disjoint = findDisjoint(state, view)
  if (disjoint !== null) return refuse('invalid_terms', disjoint)
  const refusedUntil = equivocators.refusedUntil(leader ?? '', block.time)
  if (refusedUntil !== null)
    return refuse('not_leader', `${leader} has equivocated, and is refused until ${refusedUntil}`)
  if (!isAssociated(state, view))
    return refuse('stale_node', `this member's key is not associated at block ${block.height}`)
  const conflict = await approvals.findConflict(storedProposal(known))
  return (
    conflict ??
    (await checkApart(state, known, view)) ??
    (await checkFeeds(state, proposal, view)) ??
    checkTurn(state, known, view)
  )
}

/**
 * Holds a late proposal that only hostile members may have signed, and shows it to all. The leader of the current slot does not hold
 * it: it completes it, or has made another proposal, which the others sign first.
 *
 * Without this rule, a hostile member could answer a proposal with one of its own last slot, and show that to some members.
 * Neither would get enough signatures until both expire. A second hostile member could sign it, too.
 */
async function checkTurn(
  state: MemberState,
  known: KnownProposal,
  { block, keys }: MemberView,
): Promise<Refusal | null> {
  const { proposal } = known
  const now = Math.max(block.time, state.now())
  const isLate = now >= slotStart(slotOf(proposal.timestamp) + 1) + TRAVEL_MS
  if (!isLate || hasHonestSigner(state, known, keys)) return null
  const slot = slotOf(now)
  if (slotOf(block.time) === slot && (await findLeader(state, slot)) === state.notary.keyHash) return null
  if (known.heldSince === null) broadcast(state, known)
  known.heldSince ??= now
  const isHeld = now < known.heldSince + SLOT_MS
  return isHeld ? refuse('stale_node', 'its slot is over, and too few members have signed it') : null
}

async function checkFeeds(state: MemberState, proposal: Proposal, view: MemberView): Promise<Refusal | null> {
  for (const [feedId, values] of valuesByFeed(proposal)) {
    const refusal = await checkFeed(state, feedId, values, view)
    if (refusal !== null) return refusal
  }
  return null
}

/** Compares a feed's values with what this member would attest next, or with its own past values. */
export async function checkFeed(
  { chain, approvals, roots }: MemberState,
  feedId: string,
  values: readonly NewAttestation[],
  view: MemberView,
): Promise<Refusal | null> {
  const end = await approvals.lastEnd(feedId)
  if (isBeforeEnd(view.block, end))
    return refuse('stale_node', `block ${end?.height} ended the last approval of ${feedId}`)
  const plan = await chain.plan(feedId, view)
  const refusal = checkValues(values, plan)
  // Otherwise, a leader could have a root signed that too few hold. It would lock the dataset until it expires.
  if (refusal === null && !roots.isReady(feedId, view.keys))
    return refuse('not_released', `too few members have announced the root of ${feedId}`)
  if (refusal === null || !isBackfill(values, plan)) return refusal
  const past = values.slice(0, -1)
  const read = await chain.readPast(feedId, past, view)
  return 'refusal' in read ? read.refusal : checkBackfill(past, read)
}

/** Refuses a proposal that no block from this one on may include. */
export const checkExpiry = ({ expiresAt }: Proposal, { time }: ViewedBlock): Refusal | null =>
  time > expiresAt ? refuse('invalid_terms', 'it has expired') : null
