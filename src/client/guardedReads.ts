import type { AbortSignalLike } from '../async/webTypes.ts'
import { assertFeedId, assertIndex } from './argument.ts'
import type { ReadOptions, Reads } from './reads.ts'

/**
 * Checks arguments before anything is asked, and runs each read with `run`: what finds the snapshot to read from,
 * and ends the wait when time is up or the signal says so.
 */
export function guardReads(
  run: <T>(read: (at: Reads, signal?: AbortSignalLike) => Promise<T>, options?: ReadOptions) => Promise<T>,
): Reads {
  const ofAll =
    <T>(read: (at: Reads) => Promise<T>) =>
    (options?: ReadOptions): Promise<T> =>
      run(read, options)
  const ofFeed =
    <T>(read: (at: Reads, feedId: string) => Promise<T>) =>
    async (feedId: string, options?: ReadOptions): Promise<T> => {
      assertFeedId(feedId)
      return run((at) => read(at, feedId), options)
    }
  return {
    getValue: ofFeed((at, feedId) => at.getValue(feedId)),
    getFeed: ofFeed((at, feedId) => at.getFeed(feedId)),
    getReading: ofFeed((at, feedId) => at.getReading(feedId)),
    getValueCount: ofFeed((at, feedId) => at.getValueCount(feedId)),
    getClaimant: ofFeed((at, feedId) => at.getClaimant(feedId)),
    async getValueAt(feedId, index, options) {
      assertFeedId(feedId)
      assertIndex('index', index)
      return run((at) => at.getValueAt(feedId, index), options)
    },
    async getValueHistory(feedId, range = {}) {
      assertFeedId(feedId)
      assertIndex('from', range.from ?? 0)
      assertIndex('to', range.to ?? 0)
      return run((at, signal) => at.getValueHistory(feedId, { ...range, signal }), range)
    },
    async feedIdAt(index, options) {
      assertIndex('index', index)
      return run((at) => at.feedIdAt(index), options)
    },
    feedCount: ofAll((at) => at.feedCount()),
    listFeedIds: ofAll((at) => at.listFeedIds()),
    listReadings: ofAll((at) => at.listReadings()),
    totalAttestations: ofAll((at) => at.totalAttestations()),
    getAttester: ofAll((at) => at.getAttester()),
  }
}
