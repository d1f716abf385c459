import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { systemReason } from '@wattfeed/base'
import { asError } from '../../runtime/asError.ts'
import { errorFields } from '../../runtime/errorFields.ts'
import type { Log } from '../../runtime/log.ts'
import type { FeedConfig } from './feedConfig.ts'
import { FeedsFileError, fileFault, loadFeeds, pickFeed } from './loadFeeds.ts'

export interface FeedsFileState {
  /** When the current feeds were read, in epoch milliseconds. */
  loaded_at: number
  /** Why the current file is not used; null if it is used. */
  error: string | null
}

/** The feeds that a running agent watches. */
export interface FeedsFile {
  /** The current feeds: those of the last valid file. */
  readonly feeds: readonly FeedConfig[]
  /** Null for the built-in feeds. */
  readonly state: FeedsFileState | null
  /** How often to check for changes, in milliseconds. */
  readonly pollMs: number
  /**
   * Reads the file if its text has changed, or if a reload was requested, and logs the result. Returns the new feeds;
   * null if they did not change. Never throws: if the file is invalid, the previous feeds remain.
   *
   * @param isAsked whether a reload was requested
   */
  readChanges(isAsked: boolean): Promise<readonly FeedConfig[] | null>
}

// Polling also works on mounts without change notifications, and however an editor saves the file.
const POLL_MS = 5_000

/** Reads a feeds file for an agent that follows its changes. @throws {FeedsFileError | UnknownFeedError} */
export async function openFeedsFile(options: {
  /** Null for the built-in feeds, which do not change. */
  path: string | null
  /** The only feeds to watch; all if none is named. */
  feedIds: readonly string[]
  log: Log
  /** Epoch milliseconds. */
  now: () => number
}): Promise<FeedsFile> {
  const { path, feedIds, log, now } = options
  const load = async () => selectFeeds(notEmpty(await loadFeeds(path), path), feedIds)
  // Read before the feeds, so that the next check finds a change in between.
  let text = path === null ? '' : await readText(path)
  let feeds = await load()
  let state: FeedsFileState = { loaded_at: now(), error: null }

  async function reload(): Promise<readonly FeedConfig[] | null> {
    const before = feeds
    try {
      feeds = await load()
    } catch (thrown) {
      const { code, message } = errorFields(asError(thrown))
      state = { ...state, error: message }
      log.error({ code, faults: message.split('\n') }, 'feeds file is invalid; keeping the previous feeds')
      return null
    }
    state = { loaded_at: now(), error: null }
    const changes = changesOf(before, feeds)
    log.info({ feeds: feeds.length, ...changes }, 'feeds file reloaded')
    return Object.values(changes).every(({ length }) => length === 0) ? null : feeds
  }

  return {
    get feeds() {
      return feeds
    },
    get state() {
      return path === null ? null : state
    },
    pollMs: path === null ? Number.POSITIVE_INFINITY : POLL_MS,
    async readChanges(isAsked) {
      if (path === null) return null
      const found = await readText(path)
      if (found === text && !isAsked) return null
      text = found
      return reload()
    },
  }
}

/** Returns the file's text, or the reason why it cannot be read. */
const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(systemReason)

/** Rejects an empty file, which commands accept. An agent without feeds would do nothing and report itself healthy. */
function notEmpty(feeds: readonly FeedConfig[], path: string | null): readonly FeedConfig[] {
  if (feeds.length > 0 || path === null) return feeds
  const message = 'has no feeds; add one with "feeds new", or stop the agent'
  throw new FeedsFileError({ file: path, faults: [fileFault(message)] })
}

const selectFeeds = (configured: readonly FeedConfig[], feedIds: readonly string[]): readonly FeedConfig[] =>
  feedIds.length === 0 ? configured : [...new Set(feedIds)].map((feedId) => pickFeed(configured, feedId))

function changesOf(before: readonly FeedConfig[], after: readonly FeedConfig[]) {
  const old = new Map(before.map((feed) => [feed.feed_id, feed]))
  const ids = new Set(after.map(({ feed_id }) => feed_id))
  const isChanged = (feed: FeedConfig) =>
    old.has(feed.feed_id) && !isDeepStrictEqual(old.get(feed.feed_id), feed)
  return {
    added: [...ids].filter((feedId) => !old.has(feedId)),
    removed: [...old.keys()].filter((feedId) => !ids.has(feedId)),
    changed: after.filter(isChanged).map(({ feed_id }) => feed_id),
  }
}
