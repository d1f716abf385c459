import { isFromSource } from '../../runtime/isFromSource.ts'
import { NewFeedError } from './newFeedError.ts'

const builtIn = isFromSource
  ? Bun.resolveSync('wattfeed/feeds.json', import.meta.dir)
  : 'the feeds built into wattfeed'

/** Returns the path of the feeds file in use: `FEEDS_FILE`, else the built-in one. */
export const feedsPath = (feedsFile: string | null): string => feedsFile ?? builtIn

/**
 * Returns the path of the feeds file that a feed can be added to.
 *
 * @throws {NewFeedError} without `FEEDS_FILE` in a bundle, whose built-in feeds are read-only.
 */
export function writableFeedsPath(feedsFile: string | null): string {
  if (feedsFile === null && !isFromSource)
    throw new NewFeedError({
      reason: 'feeds_file',
      message:
        'FEEDS_FILE is not set, and the feeds built into wattfeed are read-only; set it to a file of your own, which is created if missing',
    })
  return feedsPath(feedsFile)
}
