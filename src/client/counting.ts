import type { Absences } from './chainSource.ts'
import type { FeedList } from './feeds/feedList.ts'
import type { SnapshotFeeds } from './feeds/snapshotFeeds.ts'

/** Shows by counting that something is absent at one state root. */
export interface Counting {
  /** Returns whether the list of all ids lacks a feed. */
  isMissingFromList(feedId: string): Promise<boolean>
  /** Returns whether an index is past the end of an append-only list. */
  isPastEnd(index: number, readCount: () => Promise<number>): Promise<boolean>
}

export interface CountingSource extends Pick<SnapshotFeeds, 'knownList' | 'list'> {
  absences: Absences
  readFeedCount: () => Promise<number>
}

/** Creates the checks, which need proven lists and counts. */
export function createCounting({ absences, knownList, list, readFeedCount }: CountingSource): Counting {
  /** Records an absence. A count of 0 is an absent item itself: how that was shown is recorded when it is read. */
  const shown = (isAbsent: boolean, count: number): boolean => {
    if (isAbsent && count > 0) absences.record('count')
    return isAbsent
  }

  /**
   * Returns whether a list has the ids of all feeds. One that followed the event logs lacks a feed that a contract registered
   * without an event, so it is compared with the registry's number of feeds.
   */
  async function isComplete({ entries, feedIds, changes, lengths }: FeedList): Promise<boolean> {
    if (feedIds.length < entries.size) return false
    const wasRead = changes === null && lengths.feed !== null && lengths.attestation !== null
    return wasRead || (await readFeedCount()) === entries.size
  }

  return {
    async isMissingFromList(feedId) {
      const known = knownList() ?? (absences.isProofRequired ? await list() : null)
      if (known === null || known.entries.has(feedId) || !(await isComplete(known))) return false
      return shown(true, known.entries.size)
    },
    async isPastEnd(index, readCount) {
      const count = await readCount()
      return shown(index >= count, count)
    },
  }
}
