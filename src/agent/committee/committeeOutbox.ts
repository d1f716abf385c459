import type { Outbox } from '../send/createOutbox.ts'
import type { Ballots } from './ballots.ts'
import type { CommitteeMember } from './member.ts'
import type { RootVote } from './roots/rootVote.ts'

export interface CommitteeOutboxParts {
  /** The outbox of this member's key. */
  readonly alone: Outbox
  readonly member: Pick<CommitteeMember, 'found' | 'backfill'>
  readonly ballots: Pick<Ballots, 'wait'>
  readonly rootVote: Pick<RootVote, 'find' | 'wait'>
}

/** Returns the outbox of a committee, which proposes values and waits until a quorum has attested them. */
export const createCommitteeOutbox = ({
  alone,
  member,
  ballots,
  rootVote,
}: CommitteeOutboxParts): Outbox => ({
  ...alone,
  isTogether: true,
  async attest(values, basis) {
    const [first] = values
    const { height, basedOn: latest = null, isPast = false } = basis ?? {}
    if (first === undefined || height === undefined)
      throw new TypeError('a committee attests values of one feed, read at a known block')
    const { feed_id: feedId } = first
    using _proposed = isPast ? member.backfill(feedId, values) : null
    if (!isPast) member.found(feedId)
    const awaited = { feedId, height, latest, values }
    const dataset = rootVote.find(feedId)
    return await (dataset === null ? ballots.wait(awaited) : rootVote.wait(dataset, awaited))
  },
})
