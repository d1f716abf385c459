import { expect, test } from 'bun:test'
import { createCommitteeOutbox } from '../../../src/agent/committee/committeeOutbox.ts'
import { FeedPendingError } from '../../../src/agent/state/feedPending.ts'
import { datasetConfig } from '../datasets/fakes.ts'
import {
  createCycleOptions,
  createCyclesOf,
  createFakeChain,
  createFakeEia,
  createFakeOutbox,
  feedOf,
  rowOf,
} from '../run/fakes.ts'

const unused = () => {
  throw new Error('no value was expected')
}

const committeeOutbox = (alone = createFakeOutbox().outbox) =>
  createCommitteeOutbox(alone, { found: unused, backfill: unused }, { wait: unused })

test('error: a dataset that the feeds file has since a reload is not read, and not attested', async () => {
  const spot = datasetConfig()
  const chain = createFakeChain([spot])
  const { eia } = createFakeEia(() => [rowOf()])
  // Its keeper fails if a snapshot is asked for.
  const cycles = createCyclesOf(createCycleOptions(chain, { eia, outbox: committeeOutbox() }))
  const outcomes = await cycles.begin([spot]).outcomes
  expect(outcomes.map(({ error }) => error)).toMatchObject([
    { code: 'committee_dataset', feedIds: [spot.feed_id] },
  ])
  expect(chain.snapshots()).toBe(0)
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
