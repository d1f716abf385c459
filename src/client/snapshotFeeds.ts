import type { RootReader } from '../registry/rootReader.ts'
import type { EventLogs } from './eventLogs.ts'
import type { FeedList } from './feedList.ts'
import type { FeedListCache } from './feedListCache.ts'

/** All feeds of a snapshot. */
export interface SnapshotFeeds {
  /** Returns the feeds if they are known at the snapshot's state root, else null. */
  knownList: () => FeedList | null
  /** Returns the newest feeds known at the snapshot's state root or an earlier one: what they hold is still there. */
  shownList: () => FeedList | null
  /** Checks that no newer feeds are known. @throws {LaggingNodeError} */
  assertNotBehind: () => void
  /** Returns the feeds, reading them if they are not known. */
  list: () => Promise<FeedList>
  /** Returns how far the event logs have grown, reading their lengths if they are not known. */
  logLengths: () => Promise<string | null>
  /** Returns the event logs, reading the feeds if they are not known. */
  logs: () => Promise<EventLogs>
}

/** Creates the feeds of a snapshot, of which `found` is known. */
export function createSnapshotFeeds(
  cache: FeedListCache,
  reader: RootReader,
  found: FeedList | null,
): SnapshotFeeds {
  let list = found
  let finding: Promise<FeedList> | null = null

  function knownList(): FeedList | null {
    const newest = cache.newest()
    // It may have been completed since.
    if (newest?.stateRootHash === reader.stateRootHash) list = newest
    return list
  }

  function shownList(): FeedList | null {
    const newest = cache.newest()
    return newest !== null && newest.sequence <= reader.sequence ? newest : list
  }

  async function find(): Promise<FeedList> {
    list = await cache.at(reader)
    return list
  }

  async function getList(): Promise<FeedList> {
    const known = knownList()
    if (known) return known
    finding ??= find().finally(() => {
      finding = null
    })
    return finding
  }

  return {
    knownList,
    shownList,
    assertNotBehind() {
      const known = knownList()
      if (known) cache.assertNotBehind(known)
    },
    logLengths: () => cache.logLengths(reader, knownList()),
    list: getList,
    logs: async () => cache.logs(reader, await getList()),
  }
}
