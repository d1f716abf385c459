import { failuresOf } from '../../runtime/failuresOf.ts'
import { broadcast } from './broadcast.ts'
import { checkApproval, checkLeader } from './checkProposal.ts'
import type { KnownProposal } from './knownProposals.ts'
import { isApproved, type MemberState, type MemberView } from './memberState.ts'
import { storedProposal } from './proposal.ts'
import { isTemporary, type Refusal, refuse } from './refusal.ts'

/** Considers all live proposals. Returns the failures: one proposal, or a full disk, does not keep the others from being sent. */
export const considerAll = (state: MemberState): Promise<Error[]> =>
  failuresOf(state.known.list().map((known) => consider(state, known)))

/** Approves a proposal if the rules allow it, and hands it over to be sent if it has enough approvals. */
export async function consider(state: MemberState, known: KnownProposal): Promise<Refusal | null> {
  const isFinal = known.refusal !== null && !isTemporary(known.refusal)
  if (!isFinal)
    known.checking ??= approve(state, known).finally(() => {
      known.checking = null
    })
  const refusal = isFinal ? known.refusal : await known.checking
  await deliver(state, known)
  return refusal
}

async function approve(state: MemberState, known: KnownProposal): Promise<Refusal | null> {
  const view = await state.chain.readView()
  const refusal = (await checkLeader(state, known, view)) ?? (await checkApproval(state, known, view))
  if (refusal === null) return isApproved(state, known) ? null : sign(state, known, view)
  if (refusal.code !== known.refusal?.code)
    state.onEvent({ event: 'refused', proposal: known.proposal, proposer: proposerOf(known), refusal })
  known.refusal = refusal
  return refusal
}

const proposerOf = ({ leader, approvals }: KnownProposal): string =>
  leader ?? approvals.keys().next().value ?? ''

/** Records this member's approval, and only then sends it to all. */
export async function sign(
  state: MemberState,
  known: KnownProposal,
  { block }: MemberView,
): Promise<Refusal | null> {
  const { notary, approvals, roots } = state
  const { proposal } = known
  const own = await notary.sign(proposal)
  // A dataset's root may have changed while other feeds were planned.
  const changed = proposal.attestations.find((each) => !roots.holds(each))
  if (changed !== undefined)
    return refuse('not_released', `this member does not hold this root of ${changed.feed_id} any more`)
  const signed = { proposal, approvals: new Map([...known.approvals, [notary.keyHash, own]]) }
  const refusal = await approvals.claim(storedProposal(signed), block)
  if (refusal !== null) return refusal
  known.approvals.set(notary.keyHash, own)
  state.onEvent({ event: 'approved', proposal, proposer: proposerOf(known) })
  broadcast(state, known)
  return null
}

/** Hands a proposal over to be sent, once, if its approvals have enough weight. */
export async function deliver(state: MemberState, known: KnownProposal): Promise<void> {
  const { keys } = await state.chain.readView()
  // Approvals of other keys weigh nothing.
  const approvals = new Map([...known.approvals].filter(([key]) => keys.weights.has(key)))
  const weight = [...approvals.keys()].reduce((sum, key) => sum + (keys.weights.get(key) ?? 0), 0)
  if (known.isDelivered || weight < keys.threshold) return
  known.isDelivered = true
  state.deliver(storedProposal({ proposal: known.proposal, approvals }))
  state.onEvent({ event: 'delivered', proposal: known.proposal })
}
