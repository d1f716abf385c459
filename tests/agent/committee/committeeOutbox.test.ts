import { expect, test } from 'bun:test'
import { createCommitteeOutbox } from '../../../src/agent/committee/committeeOutbox.ts'
import { FeedPendingError } from '../../../src/agent/state/feedPending.ts'
import { createFakeOutbox, feedOf } from '../run/fakes.ts'

const unused = () => {
  throw new Error('no value was expected')
}

const committeeOutbox = (alone = createFakeOutbox().outbox) =>
  createCommitteeOutbox({
    alone,
    member: { found: unused, backfill: unused },
    ballots: { wait: unused },
    rootVote: { find: unused, wait: unused },
  })

test('error: a series with a transaction in flight is refused', () => {
  const { outbox } = createFakeOutbox({
    assertFree({ feed_id }) {
      throw new FeedPendingError(feed_id, {})
    },
  })
  expect(() => committeeOutbox(outbox).assertFree(feedOf('A'))).toThrow(FeedPendingError)
  expect(() => committeeOutbox().assertFree(feedOf('A'))).not.toThrow()
})
