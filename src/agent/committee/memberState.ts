import type { ExecutedTransaction, Pending } from '@wattfeed/casper/transaction'
import type { Side } from '@wattfeed/dataset/compare'
import type { LRUCache } from 'lru-cache'
import type { NewAttestation } from 'wattfeed/internal'
import type { ChainValue } from '../plan/decide.ts'
import type { FeedPlan, PlannedFeed, ViewedBlock } from '../plan/plan.ts'
import type { AnnouncedRoot } from '../state/announcedRoots.ts'
import type { AccountKeys } from './accountKeys.ts'
import type { PastValues } from './checkBackfill.ts'
import type { Equivocation, Equivocators } from './equivocators.ts'
import type { GivenApprovals } from './givenApprovals.ts'
import type { KnownProposal, KnownProposals } from './knownProposals.ts'
import type { Approval, Proposal, SignedProposal, TransactionJson } from './proposal.ts'
import type { Refusal } from './refusal.ts'
import type { MemberRoots } from './roots/memberRoots.ts'
import type { StartRule } from './startRule.ts'

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

/** Makes, signs and reads the transactions of the protocol for a member. */
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

/** What a member reports. Nothing that it does depends on it. */
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
  readonly transaction: Pending
  /** Its execution, with or without success; null if it expired. */
  readonly executed: ExecutedTransaction | null
  /** The members who approved it, and what the others answered. */
  readonly approvedBy: readonly string[]
  readonly answers: ReadonlyMap<string, Refusal | null>
}

/** The other members, as this one calls them. */
export interface Peers {
  readonly members: readonly string[]
  /** Sends a transaction with its approvals. Returns the answer: null for an approval. Rejects if there is none. */
  send(member: string, transaction: TransactionJson): Promise<Refusal | null>
  /** Tells a member that a feed has a new value; of a dataset also which snapshot this member holds. Never throws. */
  announce(member: string, feedId: string, root?: AnnouncedRoot): void
  /** Returns the snapshot that a member has announced, to compare it. Nothing proves what it says. */
  sideOf(member: string, feedId: string, root: Pick<AnnouncedRoot, 'root' | 'size'>): Side
}

/** What a member works with. */
export interface MemberOptions {
  chain: MemberChain
  notary: Notary
  peers: Peers
  approvals: GivenApprovals
  equivocators: Equivocators
  startRule: Pick<StartRule, 'check'>
  /** The roots of datasets that the members hold. */
  roots: MemberRoots
  /** Account hashes of the keys that may act alone. */
  recovery: ReadonlySet<string>
  /** Groups the next values of feeds into transactions; a feed of `alone` has its own. */
  group: (plans: readonly PlannedFeed[], alone: ReadonlySet<string>) => readonly Proposal['attestations'][]
  /** Sends a transaction with enough approvals and follows it. Never throws. */
  deliver: (transaction: Pending) => void
  /**
   * The machine's clock, in epoch milliseconds. It decides whether the newest block is too old and whether a slot is over. A wrong
   * clock costs time, and never doubles a value.
   */
  now: () => number
  onEvent: (event: MemberEvent) => void
}

/** The last value of a feed in an expired transaction. */
export interface ExpiredValue extends ChainValue {
  readonly expiresAt: number
  /** Whether an honest member has signed the transaction, and so has shown it to all. */
  readonly isShown: boolean
}

/** What a member works with, and what it remembers until it ends. */
export interface MemberState extends MemberOptions {
  readonly known: KnownProposals
  /** Feeds that may have a new value, and when that was last said, by the machine's clock. */
  readonly wanted: Map<string, number>
  /** Past values that this member proposes, by feed. */
  readonly backfills: Map<string, readonly NewAttestation[]>
  /** Values of expired transactions, by the leader that proposed them and by feed. */
  readonly expired: Map<string, LRUCache<string, ExpiredValue>>
}

/** Returns whether this member has approved a proposal. */
export const isApproved = ({ notary }: MemberState, { approvals }: KnownProposal): boolean =>
  approvals.has(notary.keyHash)
