import { loadSdk, type Signer } from '@wattfeed/casper/transaction'
import { createPlannedSources } from '../plan/plannedSources.ts'
import type { Archive } from '../send/archive.ts'
import { groupPlans } from '../send/batchPlans.ts'
import { attestationsOf } from '../state/attestPurpose.ts'
import { endComparison } from '../state/sentLog.ts'
import { findDisjoint } from './checkProposal.ts'
import { Deliveries, type DeliveryParts } from './deliveries.ts'
import { openEquivocators } from './equivocators.ts'
import { createGivenApprovals } from './givenApprovals.ts'
import { type CommitteeMember, createMember } from './member.ts'
import { createMemberChain, type MemberChainOptions } from './memberChain.ts'
import type { MemberEvent, MemberView, Peers } from './memberState.ts'
import { createNotary } from './notary.ts'
import { StartRule } from './startRule.ts'

export interface OpenMemberOptions
  extends Omit<MemberChainOptions, 'accountHash' | 'onValues'>,
    Omit<DeliveryParts, 'now' | 'wait'> {
  /** This member's key, for the committee's account. */
  signer: Signer
  peers: Peers
  /** Account hashes of the keys that may act alone. */
  recovery: ReadonlySet<string>
  /** Stores the rows behind the values that this member approves. Null stores none. */
  archive: Archive | null
  /** Whether the chain has just been created, so that nobody has approved anything. */
  isFreshChain: boolean
  /** The machine's clock, in epoch milliseconds. */
  now: () => number
  onEvent: (event: MemberEvent) => void
}

/** A member, and what it does besides the protocol. */
export interface OpenMember extends Pick<Deliveries, 'drain'> {
  readonly member: CommitteeMember
  /** Returns the newest block that it has read, and the keys of the account there; null before the first. */
  newestView(): MemberView | null
  /** Returns why this member signs nothing now; null if it may sign. */
  unready(): string | null
}

/**
 * Opens a member on its state, with its view of the chain.
 *
 * @throws {StateFileError}
 */
export async function openMember(options: OpenMemberOptions): Promise<OpenMember> {
  const { signer, state, settings, paymentMotes, now } = options
  const batch = { offersMany: settings.offersMany, paymentMotes }
  const { destination } = state
  const { accountHash } = signer
  // Later if the disk is full, which does not keep the member from its work.
  state.file.writeLater(() => endComparison(state))
  const sources = createPlannedSources()
  const given = createGivenApprovals(state)
  const chain = createMemberChain({ ...options, accountHash, onValues: sources.keep })
  const deliveries = new Deliveries(options)
  const startRule = new StartRule(now, options.isFreshChain)
  const member = createMember({
    ...options,
    chain,
    notary: createNotary({
      ...batch,
      sdk: await loadSdk(),
      signer,
      chainName: destination.chainName,
      packageHash: destination.contract,
    }),
    approvals: {
      ...given,
      async claim(transaction, block) {
        // Before the approval is recorded, because a recorded one may be sent.
        const hashes = attestationsOf(transaction.purpose).map(({ source_hash }) => source_hash)
        await options.archive?.append(sources.of(hashes))
        return given.claim(transaction, block)
      },
    },
    equivocators: openEquivocators(state),
    startRule,
    group: (plans, alone) => groupPlans(plans, alone, batch),
    deliver: (transaction) => deliveries.deliver(transaction),
  })
  return {
    member,
    drain: () => deliveries.drain(),
    newestView: chain.newestView,
    unready: () => findDisjoint(options, chain.newestView()) ?? startRule.lastRefusal,
  }
}
