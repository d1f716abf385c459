import { createRootReader, type RootReader } from '../registry/rootReader.ts'
import type { SourcedRoot } from './chainSource.ts'
import type { Live } from './live.ts'
import type { EventLogs, LiveCache, LiveCacheOptions } from './liveCache.ts'

/** All feeds of a snapshot. */
export interface SnapshotFeeds {
  /** Returns the feeds if they are known at the snapshot's state root, else null. */
  knownLive: () => Live | null
  /** Returns the newest feeds known at the snapshot's state root or an earlier one, else null. */
  shownLive: () => Live | null
  /** Checks that no newer feeds are known. @throws {LaggingNodeError} */
  assertNotBehind: () => void
  /** Returns the feeds, reading them if they are not known. */
  live: () => Promise<Live>
  /** Returns how far the event logs have grown, reading their lengths if they are not known. */
  version: () => Promise<string | null>
  /** Returns the event logs. */
  logs: () => Promise<EventLogs>
}

/** Follows the feeds from state root to state root once a list was requested, and loads the code for it then. */
export function createFollowedFeeds(options: LiveCacheOptions) {
  const { state } = options
  let cache: LiveCache | null = null
  let confirmed: SourcedRoot | null = null

  async function open(): Promise<LiveCache> {
    if (cache) return cache
    const { createLiveCache } = await import('./liveCache.ts')
    cache ??= createLiveCache(options, confirmed)
    return cache
  }

  function feedsAt(reader: RootReader, known: Live | null | undefined): SnapshotFeeds {
    let live = known ?? null
    let finding: Promise<Live> | null = null
    function knownLive(): Live | null {
      const newest = cache?.newest()
      // It may have been completed since.
      if (newest?.stateRootHash === reader.stateRootHash) live = newest
      return live
    }
    function shownLive(): Live | null {
      const newest = cache?.newest() ?? null
      return newest !== null && newest.sequence <= reader.sequence ? newest : live
    }
    async function find(): Promise<Live> {
      live = await (await open()).at(reader)
      return live
    }
    async function getLive(): Promise<Live> {
      const known = knownLive()
      if (known) return known
      finding ??= find().finally(() => {
        finding = null
      })
      return finding
    }
    return {
      knownLive,
      shownLive,
      assertNotBehind() {
        const known = knownLive()
        if (known) cache?.assertNotBehind(known)
      },
      version: async () => (await open()).version(reader, knownLive()),
      live: getLive,
      logs: async () => (await open()).logs(reader, await getLive()),
    }
  }

  return {
    /**
     * Moves the known feeds to another state root. The signal aborts that, but not later reads there.
     *
     * @throws {LaggingNodeError} when an event log is shorter than before.
     */
    async moveTo(root: SourcedRoot, sequence: number, signal: AbortSignal) {
      const known = await cache?.advanceTo(createRootReader(state, root.hash, sequence, signal), root)
      const reader = createRootReader(state, root.hash, sequence)
      return { reader, ...feedsAt(reader, known) }
    },
    /** Records that the known feeds are current at this root. */
    confirm(root: SourcedRoot, sequence: number): void {
      confirmed = root
      cache?.confirm(root, sequence)
    },
  }
}
