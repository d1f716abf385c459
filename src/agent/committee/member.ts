import { WattfeedError } from '@wattfeed/base'
import type { ExecutedTransaction, Pending } from '@wattfeed/casper/transaction'
import type { NewAttestation } from 'wattfeed/internal'
import { failuresOf } from '../../runtime/failuresOf.ts'
import { noteExpired } from './apart.ts'
import { broadcast } from './broadcast.ts'
import { checkExpiry } from './checkProposal.ts'
import { consider, considerAll } from './consider.ts'
import { createKnownProposals } from './knownProposals.ts'
import { lead } from './lead.ts'
import { isApproved, type MemberOptions, type MemberState, type MemberView } from './memberState.ts'
import { type Refusal, refuse } from './refusal.ts'
import { announce } from './roots/announce.ts'
import { LIFETIME_MS } from './slot.ts'

/** A member of a committee: proposes, approves and sends transactions together with the others. */
export interface CommitteeMember {
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

/** How often a member sends its approval again, because messages get lost and members restart. */
const RESEND_MS = 10_000

/**
 * Creates a member. Members take turns as leader by chain time. The leader proposes transactions; each member approves
 * those that its own rules would send, at most one at a time for a feed, and sends its approval to all. A member
 * that holds approvals of enough weight sends the transaction.
 */
export function createMember(options: MemberOptions): CommitteeMember {
  const state: MemberState = {
    ...options,
    known: createKnownProposals(),
    wanted: new Map(),
    backfills: new Map(),
    expired: new Map(),
  }
  return {
    start: () => start(state),
    tick: () => tick(state),
    receive: (transaction) => receive(state, transaction),
    found(feedId) {
      state.wanted.set(feedId, state.now())
      announce(feedId, state)
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
  const expired = state.known.listExpired(view.block.time)
  const failures = await failuresOf(expired.map((known) => noteExpired(state, known, view)))
  const [failure] = [...failures, ...(await considerAll(state))]
  for (const known of state.known.list())
    if (isApproved(state, known) && !known.isEnded && state.now() >= known.sentAt + RESEND_MS)
      broadcast(state, known)
  await lead(state, view)
  if (failure !== undefined) throw failure
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

function report(state: MemberState, transaction: Pending, executed: ExecutedTransaction | null): void {
  const known = state.known.get(transaction.transaction_hash)
  const approvedBy = [...(known?.approvals.keys() ?? [])]
  if (known !== null) known.isEnded = true
  state.onEvent({ event: 'ended', transaction, executed, approvedBy, answers: known?.answers ?? new Map() })
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
