import { chmod, realpath, stat } from 'node:fs/promises'
import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../agent/feeds/loadFeeds.ts'
import { readTextFile } from '../../casper/transaction/pendingStore.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { NewFeedError } from './choose.ts'

/**
 * Adds an entry to a feeds file, which is created if missing. The file is replaced atomically, and other entries stay
 * exactly as written.
 *
 * @throws {FeedsFileError} if the file breaks its rules.
 * @throws {LockedError} while another process writes it.
 * @throws {NewFeedError} if it already has the id.
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

/** Resolves a link: otherwise the link itself would be replaced. */
async function findFile(path: string): Promise<string> {
  return realpath(path).catch((error) => {
    if (systemReason(error) === 'ENOENT') return path
    throw error
  })
}

/**
 * Appends an entry to the text of a feeds file, indented like the first one. The rest stays exactly as written.
 *
 * @param text a JSON array
 *
 * @example
 * ```ts
 * appendFeed('[]', feed) // '[\n  {\n    "feed_id": …\n  }\n]'
 * ```
 */
export function appendFeed(text: string, feed: FeedConfig): string {
  const end = text.lastIndexOf(']')
  const before = text.slice(0, end).trimEnd()
  const isEmpty = before.endsWith('[')
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const indent = isEmpty ? '  ' : indentOf(text)
  // If the entries are on one line, the new one is too.
  if (indent === null) return `${before}, ${JSON.stringify(feed)}${text.slice(before.length)}`
  const lines = JSON.stringify(feed, null, indent || '  ').split('\n')
  const entry = lines.map((line) => indent + line).join(newline)
  return `${before}${isEmpty ? '' : ','}${newline}${entry}${newline}${text.slice(end)}`
}

/** Returns the indentation of the first entry; null if it is not on a line of its own. */
const indentOf = (text: string): string | null => /^\s*\[[^\S\n]*\r?\n([ \t]*)\{/.exec(text)?.[1] ?? null
