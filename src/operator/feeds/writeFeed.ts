import { chmod, realpath, stat } from 'node:fs/promises'
import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../agent/feeds/loadFeeds.ts'
import { readTextFile } from '../../agent/state/readTextFile.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { appendFeed } from './appendFeed.ts'
import { NewFeedError } from './newFeedError.ts'

/**
 * Adds an entry to a feeds file, which is made where there is none. The file is replaced as a whole, and the other
 * entries stay as they are written, also where two programs write at once.
 *
 * Throws a `FeedsFileError` where the file breaks its rules, a `LockedError` while another process writes it, and a
 * `NewFeedError` where it has the id already.
 */
export async function writeFeed(path: string, feed: FeedConfig): Promise<void> {
  const file = await findFile(path)
  using _ = acquireLock(`${file}.lock`)
  const text = await readTextFile(file)
  const before = text === null ? [] : await loadFeeds(file)
  if (before.some(({ feed_id }) => feed_id === feed.feed_id))
    throw new NewFeedError('feeds_file', `${feed.feed_id} is in ${path} already; --id gives another one`)
  const mode = text === null ? 0o644 : (await stat(file)).mode
  await writeAtomically(file, appendFeed(text ?? '[]\n', feed))
  await chmod(file, mode)
}

/** The file itself where `path` is a link: else the link would be replaced. */
async function findFile(path: string): Promise<string> {
  return realpath(path).catch((error) => {
    if (systemReason(error) === 'ENOENT') return path
    throw error
  })
}
