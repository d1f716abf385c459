import { defineError } from '@wattfeed/base'
import { isDataset } from '../../feeds/file/feedConfig.ts'
import type { Outbox } from '../send/createOutbox.ts'
import type { Ballots } from './ballots.ts'
import type { CommitteeMember } from './member.ts'

/** A committee was to attest datasets. Its members would read different states of one. */
export const CommitteeDatasetError = defineError(
  'CommitteeDatasetError',
  'committee_dataset',
  (facts: { feedIds: readonly string[] }) =>
    `committees cannot attest datasets yet: remove ${facts.feedIds.join(', ')} from the feeds file, and attest it by an agent whose key signs alone`,
)

/**
 * Returns the outbox of a committee, which proposes values and waits until a quorum has attested them. It refuses datasets, which a
 * reloaded feeds file may bring.
 *
 * @param alone the outbox of this member's key
 */
export const createCommitteeOutbox = (
  alone: Outbox,
  member: Pick<CommitteeMember, 'found' | 'backfill'>,
  ballots: Pick<Ballots, 'wait'>,
): Outbox => ({
  ...alone,
  isTogether: true,
  assertFree(feed) {
    if (isDataset(feed)) throw new CommitteeDatasetError({ feedIds: [feed.feed_id] })
    alone.assertFree(feed)
  },
  async attest(values, basis) {
    const [first] = values
    const { height, basedOn: latest = null, isPast = false } = basis ?? {}
    if (first === undefined || height === undefined)
      throw new TypeError('a committee attests values of one feed, read at a known block')
    const { feed_id: feedId } = first
    using _proposed = isPast ? member.backfill(feedId, values) : null
    if (!isPast) member.found(feedId)
    return await ballots.wait({ feedId, height, latest, values })
  },
})
