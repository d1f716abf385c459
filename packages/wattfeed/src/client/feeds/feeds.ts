import type { RootReader } from '../../registry/rootReader.ts'
import type { SourcedRoot } from '../chainSource.ts'
import type { EventLogs } from './eventLogs.ts'
import type { FeedList } from './feedList.ts'
import type { Known, KnownOptions } from './known.ts'

/** The feeds that a client knows. */
export interface Feeds {
  /** Returns the newest list; null before the first. */
  newest(): FeedList | null
  /**
   * Returns the feeds at a state root. Updates the newest list to it first, unless there is none.
   *
   * @param limited - reads within the deadline of the update
   * @param reader - reads for as long as the feeds are used
   * @throws {@link LaggingNodeError} and {@link DecodeError} when the root contradicts the newest list.
   */
  at(root: SourcedRoot, readers: { limited: RootReader; reader: RootReader }): Promise<RootFeeds>
}

/** The feeds as of one state root. */
export interface RootFeeds {
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
  /** See {@link Known.confirm}. */
  confirm(root: SourcedRoot): void
}

/** Creates the feeds. Their code is loaded with the first list, because many programs only read single feeds. */
export function createFeeds(options: KnownOptions): Feeds {
  let known: Known | null = null

  async function load(root: SourcedRoot): Promise<Known> {
    // Importing a loaded module again would take up to a quarter of the time of an answer from memory.
    if (known) return known
    const code = await import('./known.ts')
    known ??= new code.Known(options, root)
    return known
  }

  return {
    newest: () => known?.list ?? null,
    async at(root, { limited, reader }) {
      let list = (await known?.advance(limited, root)) ?? null
      let finding: Promise<FeedList> | null = null

      function knownHere(): FeedList | null {
        const newest = known?.list
        // The list may have been completed in the meantime.
        if (newest?.stateRootHash === reader.stateRootHash) list = newest
        return list
      }

      async function find(): Promise<FeedList> {
        list = await (await load(root)).at(reader)
        return list
      }

      async function read(): Promise<FeedList> {
        const here = knownHere()
        if (here) return here
        finding ??= find().finally(() => {
          finding = null
        })
        return finding
      }

      return {
        known: knownHere,
        lastKnown() {
          const newest = known?.list
          return newest && newest.sequence <= reader.sequence ? newest : list
        },
        list: read,
        logLengths: async () => (await load(root)).logLengths(reader, knownHere()),
        logs: async () => (await load(root)).logs(reader, await read()),
        confirm: (newer) => known?.confirm(newer, knownHere()),
      }
    },
  }
}
