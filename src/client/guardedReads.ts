import { assertFeedId, assertIndex } from './argument.ts'
import type { Reads } from './reads.ts'

/**
 * Checks arguments before anything is asked, and runs each read with `run`: what finds the snapshot to read from,
 * and ends the wait when time is up.
 */
export function guardReads(run: <T>(read: (at: Reads) => Promise<T>) => Promise<T>): Reads {
  const ofFeed =
    <T>(read: (at: Reads, feedId: string) => Promise<T>) =>
    async (feedId: string): Promise<T> => {
      assertFeedId(feedId)
      return run((at) => read(at, feedId))
    }
  return {
    getValue: ofFeed((at, feedId) => at.getValue(feedId)),
    getFeed: ofFeed((at, feedId) => at.getFeed(feedId)),
    getReading: ofFeed((at, feedId) => at.getReading(feedId)),
    getValueCount: ofFeed((at, feedId) => at.getValueCount(feedId)),
    getClaimant: ofFeed((at, feedId) => at.getClaimant(feedId)),
    async getValueAt(feedId, index) {
      assertFeedId(feedId)
      assertIndex('index', index)
      return run((at) => at.getValueAt(feedId, index))
    },
    async getValueHistory(feedId, range = {}) {
      assertFeedId(feedId)
      assertIndex('from', range.from ?? 0)
      assertIndex('to', range.to ?? 0)
      return run((at) => at.getValueHistory(feedId, range))
    },
    async feedIdAt(index) {
      assertIndex('index', index)
      return run((at) => at.feedIdAt(index))
    },
    feedCount: () => run((at) => at.feedCount()),
    listFeedIds: () => run((at) => at.listFeedIds()),
    listReadings: () => run((at) => at.listReadings()),
    totalAttestations: () => run((at) => at.totalAttestations()),
    getAttester: () => run((at) => at.getAttester()),
  }
}
