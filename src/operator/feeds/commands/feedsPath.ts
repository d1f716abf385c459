import { fileURLToPath } from 'node:url'
import { NewFeedError } from '../newFeedError.ts'

/** Where the built-in feeds stand. */
const builtIn = Bun.isStandaloneExecutable
  ? 'the feeds inside wattfeed'
  : fileURLToPath(new URL('../../../agent/feeds.json', import.meta.url))

/** Path of the feeds file in use: `FEEDS_FILE`, else the built-in one. */
export const feedsPath = (feedsFile: string | null): string => feedsFile ?? builtIn

/**
 * Path of the feeds file that a feed can be added to.
 *
 * @throws {NewFeedError} without `FEEDS_FILE` in a compiled binary, whose own feeds cannot be written.
 */
export function writableFeedsPath(feedsFile: string | null): string {
  if (feedsFile === null && Bun.isStandaloneExecutable)
    throw new NewFeedError(
      'feeds_file',
      'FEEDS_FILE is not set, and the feeds inside wattfeed stay as they are; set it to a file of your own, which is made where there is none',
    )
  return feedsPath(feedsFile)
}
