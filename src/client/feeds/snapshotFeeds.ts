import type { RootReader } from '../../registry/rootReader.ts'
import type { EventLogs } from './eventLogs.ts'
import type { FeedList } from './feedList.ts'
import type { FeedListCache } from './feedListCache.ts'

export interface SnapshotFeeds {
  /** Returns the feeds if they are cached at the snapshot's state root; otherwise null. */
  knownList: () => FeedList | null
  /** Returns the newest feeds cached at the snapshot's state root or an earlier one. Their values still exist. */
  shownList: () => FeedList | null
  /** @throws {@link LaggingNodeError} when newer feeds are cached. */
  assertNotBehind: () => void
  /** Returns the feeds, reading them if they are not cached. */
  list: () => Promise<FeedList>
  /** Returns the log lengths as text, reading them if they are not cached. */
  logLengths: () => Promise<string | null>
  /** Returns the event logs, reading the feeds if they are not cached. */
  logs: () => Promise<EventLogs>
}

/** Creates the feeds of a snapshot; `found` are the feeds cached at its state root. */
export function createSnapshotFeeds(
  cache: FeedListCache,
  reader: RootReader,
  found: FeedList | null,
): SnapshotFeeds {
  let list = found
  let finding: Promise<FeedList> | null = null

  function knownList(): FeedList | null {
    const newest = cache.newest()
    // The list may have been completed in the meantime.
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
