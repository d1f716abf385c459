import pLimit from 'p-limit'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { WattfeedError } from '../../errors.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import type { FeedPlan, PlannedFeed, ViewedBlock } from '../plan/plan.ts'
import { asError } from '../asError.ts'
import { type PendingAttestations, pendingFeedIds } from '../state/attestPurpose.ts'
import { isBeforeEnd } from '../state/feedEnds.ts'
import type { GivenApprovals } from './givenApprovals.ts'
import { checkBackfill, isBackfill, type PastValues } from './checkBackfill.ts'
import { checkValues } from './checkValues.ts'
import { findDisjointQuorums } from './committee.ts'
import type { Equivocation, Equivocators } from './equivocators.ts'
import { createKnownProposals, type KnownProposal, type KnownProposals } from './knownProposals.ts'
import {
  type Approval,
  formatTransaction,
  type Proposal,
  type SignedProposal,
  storedProposal,
  type TransactionJson,
  valuesByFeed,
} from './proposal.ts'
import { isTemporary, type Refusal, refuse } from './refusal.ts'
import { LIFETIME_MS, leaderOf, SLOT_MS, slotOf, slotStart } from './slot.ts'
import type { StartRule } from './startRule.ts'

/** The keys that may sign for the committee's account, at one block. */
export interface AccountKeys {
  /** By account hash. */
  readonly weights: ReadonlyMap<string, number>
  /** The least total weight of a transaction's approvals. */
  readonly threshold: number
}

/** The newest block of the member's own node, and the account after it. */
export interface MemberView {
  readonly block: ViewedBlock
  readonly keys: AccountKeys
}

/** The chain and EIA, as this member sees them. */
export interface MemberChain {
  readView(): Promise<MemberView>
  /** Lists the members whose keys are associated at the last block before a time. The node shows a block after it. */
  listLeaders(time: number): Promise<readonly string[]>
  /** Returns how a transaction was executed, with or without success; null if the node shows no block with it. */
  findExecution(hash: string): Promise<ExecutedTransaction | null>
  /**
   * Plans a feed by the member's own rules, at the root of the view and from its own fetch. Several plans in a short time
   * share a fetch. Returns a failed plan for a feed that is not in its feeds file.
   */
  plan(feedId: string, view: MemberView): Promise<FeedPlan>
  /**
   * Reads what the member needs to check past values of a feed, at the root of the view and from its own fetch. Several
   * reads in a short time share a fetch, or are refused.
   *
   * @param past at least one value
   */
  readPast(
    feedId: string,
    past: readonly NewAttestation[],
    view: MemberView,
  ): Promise<PastValues | { refusal: Refusal }>
}

export interface Notary {
  readonly keyHash: string
  create(attestations: Proposal['attestations'], timestamp: number): Promise<Proposal>
  sign(proposal: Proposal): Promise<Approval>
  /**
   * Reads a transaction of another member. It keeps the valid approvals of associated keys, each once. Refuses a
   * transaction whose terms are not those of the protocol, or that has no valid approval.
   */
  read(transaction: unknown, keys: AccountKeys): Promise<SignedProposal | { refusal: Refusal }>
}

export type MemberEvent =
  | { readonly event: 'proposed' | 'delivered'; readonly proposal: Proposal }
  /** By this member. `proposer` is the leader of the slot, or the first signer while the leader is unknown. */
  | { readonly event: 'approved'; readonly proposal: Proposal; readonly proposer: string }
  | {
      readonly event: 'refused'
      readonly proposal: Proposal
      readonly proposer: string
      readonly refusal: Refusal
    }
  | {
      readonly event: 'answered'
      readonly proposal: Proposal
      readonly member: string
      readonly refusal: Refusal | null
    }
  | EndEvent
  | {
      readonly event: 'equivocated'
      readonly equivocation: Equivocation
      /** Why the evidence is not on disk; null if it is. */
      readonly storeError: Error | null
    }

/** The end of a transaction that this member has approved. */
export interface EndEvent {
  readonly event: 'ended'
  readonly transaction: PendingAttestations
  /** Its execution, with or without success; null if it expired. */
  readonly executed: ExecutedTransaction | null
  /** The members who approved it, and what the others answered. */
  readonly approvedBy: readonly string[]
  readonly answers: ReadonlyMap<string, Refusal | null>
}

export interface Peers {
  readonly members: readonly string[]
  /** Sends a transaction with its approvals. Returns the answer: null for an approval. Rejects if there is none. */
  send(member: string, transaction: TransactionJson): Promise<Refusal | null>
  /** Tells a member that a feed has a new value. Never throws. */
  announce(member: string, feedId: string): void
}

export interface MemberOptions {
  chain: MemberChain
  notary: Notary
  peers: Peers
  approvals: GivenApprovals
  equivocators: Equivocators
  startRule: Pick<StartRule, 'check'>
  /** Account hashes of the keys that may act alone. */
  recovery: ReadonlySet<string>
  /** Groups the next values of feeds into transactions; a feed of `alone` has its own. */
  group: (plans: readonly PlannedFeed[], alone: ReadonlySet<string>) => readonly Proposal['attestations'][]
  /** Sends a transaction with enough approvals and follows it. Never throws. */
  deliver: (transaction: PendingAttestations) => void
  /**
   * The machine's clock, in epoch milliseconds. It decides whether the newest block is too old and whether a slot is over. A wrong
   * clock costs time, and never doubles a value.
   */
  now: () => number
  onEvent: (event: MemberEvent) => void
}

export interface Member {
  /** Loads the approvals of earlier runs, to complete their transactions. Call it before everything else. */
  start(): Promise<void>
  /** Does what the chain's time demands. Call it every few seconds, and not again before it has ended. */
  tick(): Promise<void>
  /** Handles a transaction of another member. Returns null if this member has approved it. */
  receive(transaction: unknown): Promise<Refusal | null>
  /** Notes that this member has found a new value of a feed, and tells the others. */
  found(feedId: string): void
  /**
   * Proposes past values of a feed in this member's turns until disposed.
   *
   * @param values past values, oldest first, and the chain's newest value
   */
  backfill(feedId: string, values: readonly NewAttestation[]): Disposable
  /** Notes that another member has found a new value, and fetches it at once. */
  announced(feedId: string): Promise<void>
}

interface MemberState extends MemberOptions {
  readonly known: KnownProposals
  /** Feeds that may have a new value, and when that was last said, by the machine's clock. */
  readonly wanted: Map<string, number>
  /** Past values that this member proposes, by feed. */
  readonly backfills: Map<string, readonly NewAttestation[]>
  /** Feeds of transactions that expired. One of their values may be disputed, so they do not share transactions. */
  readonly alone: Set<string>
}

/** How long a leader looks for a value that another member has found. One of EIA's servers may be behind another. */
const WANTED_MS = 2 * LIFETIME_MS

const FEEDS_AT_ONCE = 8

/** How long after its slot a proposal may arrive. The next leader cannot propose before it sees a block of its own slot. */
const TRAVEL_MS = 3_000

/** How often a member sends its approval again, because messages get lost and members restart. */
const RESEND_MS = 10_000

/**
 * Creates a member. Members take turns as leader by chain time. The leader proposes transactions; each member approves
 * those that its own rules would send, at most one at a time for a feed, and sends its approval to all. A member
 * that holds approvals of enough weight sends the transaction.
 */
export function createMember(options: MemberOptions): Member {
  const state: MemberState = {
    ...options,
    known: createKnownProposals(),
    wanted: new Map(),
    backfills: new Map(),
    alone: new Set(),
  }
  return {
    start: () => start(state),
    tick: () => tick(state),
    receive: (transaction) => receive(state, transaction),
    found(feedId) {
      state.wanted.set(feedId, state.now())
      for (const member of state.peers.members) state.peers.announce(member, feedId)
    },
    announced: (feedId) => announced(state, feedId),
    backfill(feedId, values) {
      state.backfills.set(feedId, values)
      return { [Symbol.dispose]: () => void state.backfills.delete(feedId) }
    },
  }
}

async function start({ chain, notary, approvals, known }: MemberState): Promise<void> {
  const { keys } = await chain.readView()
  for (const { transaction } of await approvals.list()) {
    const signed = await notary.read(transaction, keys)
    // A transaction that this version does not understand stays live until it expires.
    if (!('refusal' in signed)) known.add(signed)
  }
}

async function announced({ chain, wanted, now }: MemberState, feedId: string): Promise<void> {
  const { error } = await chain.plan(feedId, await chain.readView())
  if (error instanceof WattfeedError && !error.retryable) return
  wanted.set(feedId, now())
}

async function tick(state: MemberState): Promise<void> {
  const view = await state.chain.readView()
  await endApprovals(state, view)
  for (const known of state.known.removeExpired(view.block.time)) separate(state, known)
  const [failure] = await considerAll(state)
  for (const known of state.known.list())
    if (isApproved(state, known) && !known.isEnded && state.now() >= known.sentAt + RESEND_MS)
      broadcast(state, known)
  await lead(state, view)
  if (failure !== undefined) throw failure
}

/** Considers all live proposals. Returns the failures: one proposal, or a full disk, does not keep the others from being sent. */
async function considerAll(state: MemberState): Promise<Error[]> {
  const considered = await Promise.allSettled(state.known.list().map((known) => consider(state, known)))
  return considered.flatMap((each) => (each.status === 'rejected' ? [asError(each.reason)] : []))
}

/** Ends the live approvals whose transactions are executed or expired, as blocks show. */
async function endApprovals(state: MemberState, { block }: MemberView): Promise<void> {
  const { chain, approvals } = state
  for (const transaction of await approvals.list()) {
    const { transaction_hash: hash, expires_at: expiresAt } = transaction
    const executed = await chain.findExecution(hash)
    if (executed === null && block.time <= expiresAt) continue
    const end =
      executed === null
        ? { height: block.height, before: block.time, expiresAt }
        : { height: executed.blockHeight, before: expiresAt, expiresAt }
    await approvals.release(transaction, end)
    report(state, transaction, executed)
  }
}

function report(
  state: MemberState,
  transaction: PendingAttestations,
  executed: ExecutedTransaction | null,
): void {
  const known = state.known.get(transaction.transaction_hash)
  const approvedBy = [...(known?.approvals.keys() ?? [])]
  if (known !== null) known.isEnded = true
  if (executed !== null) for (const feedId of pendingFeedIds(transaction)) state.alone.delete(feedId)
  state.onEvent({ event: 'ended', transaction, executed, approvedBy, answers: known?.answers ?? new Map() })
}

/**
 * Keeps the feeds of an expired transaction apart, so that a disputed value does not hold up the others again. What this member
 * has not approved may be junk of another one.
 */
function separate(state: MemberState, known: KnownProposal): void {
  const feedIds = [...valuesByFeed(known.proposal).keys()]
  if (feedIds.length > 1 && isApproved(state, known)) for (const feedId of feedIds) state.alone.add(feedId)
}

async function receive(state: MemberState, transaction: unknown): Promise<Refusal | null> {
  const { chain, notary } = state
  const { block, keys } = await chain.readView()
  const signed = await notary.read(transaction, keys)
  if ('refusal' in signed) return signed.refusal
  const expired = checkExpiry(signed.proposal, block)
  if (expired !== null) return expired
  if (signed.proposal.timestamp > block.time + LIFETIME_MS)
    return refuse('stale_node', `its timestamp is far ahead of this member's newest block`)
  const known = state.known.add(signed)
  if (known === null) return refuse('invalid_terms', 'there are too many live proposals of its signer')
  return consider(state, known)
}

const checkExpiry = ({ expiresAt }: Proposal, { time }: ViewedBlock): Refusal | null =>
  time > expiresAt ? refuse('invalid_terms', 'it has expired') : null

const isApproved = ({ notary }: MemberState, { approvals }: KnownProposal): boolean =>
  approvals.has(notary.keyHash)

/** Approves a proposal if the rules allow it, and hands it over to be sent if it has enough approvals. */
async function consider(state: MemberState, known: KnownProposal): Promise<Refusal | null> {
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

/** Checks that the leader of its slot has signed a proposal, and has not signed another one. */
async function checkLeader(
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
  await checkTwin(state, known)
  return null
}

async function findLeader({ chain }: MemberState, slot: number): Promise<string | null> {
  return leaderOf(slot, await chain.listLeaders(slotStart(slot)))
}

/** Looks for a second proposal of the leader, which proves equivocation, and forwards both. */
async function checkTwin(state: MemberState, known: KnownProposal): Promise<void> {
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

/** Whether the account has this member's key at a block. */
const isAssociated = ({ notary }: MemberState, { keys }: MemberView): boolean =>
  keys.weights.has(notary.keyHash)

/** Returns what is wrong with the keys of a view: two groups may sign without a common key. Null if nothing is. */
export const findDisjoint = (
  { recovery }: Pick<MemberOptions, 'recovery'>,
  view: Pick<MemberView, 'keys'> | null,
): string | null =>
  view && findDisjointQuorums({ weights: view.keys.weights, recovery, deployment: view.keys.threshold })

/** Checks everything that depends on this member: its state, its approvals, and its own values. */
async function checkApproval(
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
  return conflict ?? (await checkFeeds(state, proposal, view)) ?? checkTurn(state, known, view)
}

/**
 * Holds a late proposal that only its leader has signed, and shows it to all. The leader of the current slot does not hold it:
 * it completes it, or has made another proposal, which the others sign first.
 *
 * Without this rule, a hostile member could answer a proposal with one of its own last slot, and show that to some members.
 * Neither would get enough signatures until both expire.
 */
async function checkTurn(
  state: MemberState,
  known: KnownProposal,
  { block }: MemberView,
): Promise<Refusal | null> {
  const { proposal, leader, approvals } = known
  const now = Math.max(block.time, state.now())
  const isLate = now >= slotStart(slotOf(proposal.timestamp) + 1) + TRAVEL_MS
  if (!isLate || [...approvals.keys()].some((key) => key !== leader)) return null
  const slot = slotOf(now)
  if (slotOf(block.time) === slot && (await findLeader(state, slot)) === state.notary.keyHash) return null
  if (known.heldSince === null) broadcast(state, known)
  known.heldSince ??= now
  const isHeld = now < known.heldSince + SLOT_MS
  return isHeld ? refuse('stale_node', 'its slot is over, and only its leader has signed it') : null
}

async function checkFeeds(state: MemberState, proposal: Proposal, view: MemberView): Promise<Refusal | null> {
  for (const [feedId, values] of valuesByFeed(proposal)) {
    const refusal = await checkFeed(state, feedId, values, view)
    if (refusal !== null) return refusal
  }
  return null
}

/** Compares a feed's values with what this member would attest next, or with its own past values. */
async function checkFeed(
  { chain, approvals }: MemberState,
  feedId: string,
  values: readonly NewAttestation[],
  view: MemberView,
): Promise<Refusal | null> {
  const end = await approvals.lastEnd(feedId)
  if (isBeforeEnd(view.block, end))
    return refuse('stale_node', `block ${end?.height} ended the last approval of ${feedId}`)
  const plan = await chain.plan(feedId, view)
  const refusal = checkValues(values, plan)
  if (refusal === null || !isBackfill(values, plan)) return refusal
  const past = values.slice(0, -1)
  const read = await chain.readPast(feedId, past, view)
  return 'refusal' in read ? read.refusal : checkBackfill(past, read)
}

/** Records this member's approval, and only then sends it to all. */
async function sign(
  state: MemberState,
  known: KnownProposal,
  { block }: MemberView,
): Promise<Refusal | null> {
  const { notary, approvals } = state
  const { proposal } = known
  const own = await notary.sign(proposal)
  const signed = { proposal, approvals: new Map([...known.approvals, [notary.keyHash, own]]) }
  const refusal = await approvals.claim(storedProposal(signed), block)
  if (refusal !== null) return refusal
  known.approvals.set(notary.keyHash, own)
  state.onEvent({ event: 'approved', proposal, proposer: proposerOf(known) })
  broadcast(state, known)
  return null
}

function broadcast({ peers, now, onEvent }: MemberState, known: KnownProposal): void {
  const { proposal, approvals, answers } = known
  known.sentAt = now()
  const transaction = formatTransaction({ proposal, approvals })
  for (const member of peers.members)
    peers.send(member, transaction).then(
      (refusal) => {
        answers.set(member, refusal)
        onEvent({ event: 'answered', proposal, member, refusal })
      },
      // It is sent again until it expires.
      () => {},
    )
}

/** Hands a proposal over to be sent, once, if its approvals have enough weight. */
async function deliver(state: MemberState, known: KnownProposal): Promise<void> {
  const { keys } = await state.chain.readView()
  // Approvals of other keys weigh nothing.
  const approvals = new Map([...known.approvals].filter(([key]) => keys.weights.has(key)))
  const weight = [...approvals.keys()].reduce((sum, key) => sum + (keys.weights.get(key) ?? 0), 0)
  if (known.isDelivered || weight < keys.threshold) return
  known.isDelivered = true
  state.deliver(storedProposal({ proposal: known.proposal, approvals }))
  state.onEvent({ event: 'delivered', proposal: known.proposal })
}

/** Proposes the next values of the wanted feeds, if this member is the leader. */
async function lead(state: MemberState, view: MemberView): Promise<void> {
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
  const groups = [...state.group(plans, state.alone), ...(await listBackfills(state, turn))]
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

/** Whether a feed has no live approval, and no earlier proposal in this slot. */
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
  const { chain, wanted, now } = state
  const plans = await pLimit(FEEDS_AT_ONCE).map(wanted, async ([feedId, saidAt]) => {
    if (!(await isFree(state, feedId, turn))) return []
    const plan = await chain.plan(feedId, turn.view)
    if (plan.error !== null) return []
    if (plan.steps.length > 0) return [plan]
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
