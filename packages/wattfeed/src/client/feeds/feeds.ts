import type { RootReader } from '../../registry/rootReader.ts'
import type { SourcedRoot } from '../chainSource.ts'
import type { EventLogs } from './eventLogs.ts'
import type { FeedList } from './feedList.ts'
import type { FollowedFeeds, FollowOptions } from './followFeeds.ts'

/** The feeds that a client knows. */
export interface Feeds {
  /** Returns the newest list; null before the first. */
  newest(): FeedList | null
  /** @param known - the result of `advanceTo` for the same state root */
  at(reader: RootReader, known: FeedList | null): FeedsAt
  /** See {@link FollowedFeeds.advanceTo}. Returns null before the first list, too. */
  advanceTo(reader: RootReader, root: SourcedRoot): Promise<FeedList | null>
  /** See {@link FollowedFeeds.confirm}. */
  confirm(root: SourcedRoot, sequence: number): void
}

/** The feeds as of one state root. */
export interface FeedsAt {
  /** Returns the list if it is known at this root; otherwise null. */
  known(): FeedList | null
  /** Returns the newest list known at this root or an earlier one. Its values still exist. */
  lastKnown(): FeedList | null
  /** Returns the list, reading it if it is not known. */
  list(): Promise<FeedList>
  /** Returns the log lengths as text, reading them if they are not known. */
  logLengths(): Promise<string | null>
  /** Returns the event logs, reading the list if it is not known. */
  logs(): Promise<EventLogs>
  /** @throws {@link LaggingNodeError} when a list of a longer log is known. */
  assertNotBehind(): void
}

/** Creates the feeds. Their code is loaded with the first list, because many programs only read single feeds. */
export function createFeeds(options: FollowOptions): Feeds {
  let followed: FollowedFeeds | null = null
  let confirmed: Parameters<Feeds['confirm']> | null = null

  async function load(): Promise<FollowedFeeds> {
    // Importing a loaded module again would take up to a quarter of the time of an answer from memory.
    if (followed) return followed
    const { followFeeds } = await import('./followFeeds.ts')
    if (followed) return followed
    followed = followFeeds(options)
    if (confirmed) followed.confirm(...confirmed)
    return followed
  }

  const newest = (): FeedList | null => followed?.newest() ?? null

  return {
    newest,
    advanceTo: async (reader, root) => (followed ? followed.advanceTo(reader, root) : null),
    confirm(root, sequence) {
      confirmed = [root, sequence]
      followed?.confirm(root, sequence)
    },
    at(reader, found) {
      let list = found
      let finding: Promise<FeedList> | null = null

      function known(): FeedList | null {
        const latest = newest()
        // The list may have been completed in the meantime.
        if (latest?.stateRootHash === reader.stateRootHash) list = latest
        return list
      }

      async function find(): Promise<FeedList> {
        list = await (await load()).at(reader)
        return list
      }

      async function read(): Promise<FeedList> {
        const here = known()
        if (here) return here
        finding ??= find().finally(() => {
          finding = null
        })
        return finding
      }

      return {
        known,
        lastKnown() {
          const latest = newest()
          return latest !== null && latest.sequence <= reader.sequence ? latest : list
        },
        list: read,
        logLengths: async () => (await load()).logLengths(reader, known()),
        logs: async () => (await load()).logs(reader, await read()),
        assertNotBehind() {
          const here = known()
          if (here) followed?.assertNotBehind(here)
        },
      }
    },
  }
}
