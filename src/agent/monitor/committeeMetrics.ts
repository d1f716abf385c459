import { Counter, type Registry } from 'prom-client'

/** Counts what a member of a committee does and what the others answer. Members are named as in the members file. */
export interface CommitteeMetrics {
  proposed(): void
  approved(proposer: string): void
  refused(proposer: string, code: string): void
  /** Another member answered. @param answer `approved`, or the code of a refusal */
  answered(member: string, answer: string): void
  equivocated(member: string): void
  /** A round has ended in which EIA answered again for keys of a dataset. */
  converged(feedId: string, askedKeys: number): void
  /** Removes the counters of a feed that is no longer watched. */
  forget(feedId: string): void
}

export function observeCommittee(registry: Registry): CommitteeMetrics {
  const registers = [registry]
  const proposals = new Counter({
    name: 'wattfeed_committee_proposals_total',
    help: 'Transactions that this member has proposed.',
    registers,
  })
  const approvals = new Counter({
    name: 'wattfeed_committee_approvals_total',
    help: 'Approvals that this member has given, by the member that proposed.',
    labelNames: ['proposer'],
    registers,
  })
  const refusals = new Counter({
    name: 'wattfeed_committee_refusals_total',
    help: 'Refusals of this member, by the member that proposed and by code. A proposal counts once for each code.',
    labelNames: ['proposer', 'code'],
    registers,
  })
  const answers = new Counter({
    name: 'wattfeed_committee_answers_total',
    help: 'Answers of other members to proposals: approved, or the code of the refusal. An answer counts when it changes.',
    labelNames: ['member', 'answer'],
    registers,
  })
  const equivocations = new Counter({
    name: 'wattfeed_committee_equivocations_total',
    help: 'Cases in which a member has signed two proposals for the same slot and feed.',
    labelNames: ['member'],
    registers,
  })
  const rounds = new Counter({
    name: 'wattfeed_committee_converge_rounds_total',
    help: 'Rounds in which this member compared its snapshot of a dataset with those of others and asked EIA again.',
    labelNames: ['feed_id'],
    registers,
  })
  const keys = new Counter({
    name: 'wattfeed_committee_keys_asked_again_total',
    help: 'Values of a dataset that EIA was asked for again because members differed.',
    labelNames: ['feed_id'],
    registers,
  })
  return {
    proposed: () => proposals.inc(),
    approved: (proposer) => approvals.inc({ proposer }),
    refused: (proposer, code) => refusals.inc({ proposer, code }),
    answered: (member, answer) => answers.inc({ member, answer }),
    equivocated: (member) => equivocations.inc({ member }),
    converged(feed_id, askedKeys) {
      rounds.inc({ feed_id })
      keys.inc({ feed_id }, askedKeys)
    },
    forget(feed_id) {
      for (const counter of [rounds, keys]) counter.remove({ feed_id })
    },
  }
}
