import { expect, test } from 'bun:test'
import type { AbsenceWay } from 'wattfeed'
import type { FeedList } from '../../src/client/feeds/feedList.ts'
import { createCounting } from '../../src/client/snapshot.ts'

const entry = { feed: null, value: null, reading: null, fault: null }

const listOf = (
  changes: number | null,
  lengths: FeedList['lengths'] = { feed: 2, attestation: 0 },
): FeedList => ({
  stateRootHash: '00'.repeat(32),
  sequence: 1,
  chain: {},
  recent: new Map(),
  stateUrefs: '',
  lengths,
  lastEvent: null,
  entries: new Map([
    ['A', entry],
    ['B', entry],
  ]),
  feedIds: ['A', 'B'],
  readings: [],
  changes,
  undecodable: 0,
})

/** Returns whether counting shows a feed as absent, how often the number of feeds was read, and what was recorded. */
async function missing(list: FeedList, feedCount: number) {
  const ways: AbsenceWay[] = []
  let reads = 0
  const { isMissingFromList } = createCounting(
    { known: () => list, list: async () => list },
    { isProofRequired: false, record: (way) => ways.push(way), latest: () => null },
    async () => {
      reads++
      return feedCount
    },
  )
  return { isMissing: await isMissingFromList('C'), reads, ways }
}

test('default: a list that was just read shows an absence without a call', async () => {
  expect(await missing(listOf(null), 2)).toEqual({ isMissing: true, reads: 0, ways: ['count'] })
})

test('default: a list that followed the events is compared with the number of feeds', async () => {
  expect(await missing(listOf(1), 2)).toEqual({ isMissing: true, reads: 1, ways: ['count'] })
})

test('behavior: a feed that a contract registered without an event is not shown as absent', async () => {
  expect(await missing(listOf(0), 3)).toEqual({ isMissing: false, reads: 1, ways: [] })
})

test('behavior: without both logs, the number of feeds is read', async () => {
  expect(await missing(listOf(null, { feed: null, attestation: 5 }), 3)).toMatchObject({ isMissing: false })
  expect(await missing(listOf(null, { feed: 2, attestation: null }), 3)).toMatchObject({ isMissing: false })
})

test('behavior: a list with an id that could not be read shows nothing', async () => {
  const list = { ...listOf(null), feedIds: ['A'] }
  expect(await missing(list, 2)).toEqual({ isMissing: false, reads: 0, ways: [] })
})
