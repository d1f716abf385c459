import { chmod, readFile, realpath, stat } from 'node:fs/promises'
import { nullIfMissing } from '@wattfeed/base'
import { acquireLock, writeAtomically } from '@wattfeed/base/disk'
import { type FeedConfig, isDataset } from '../../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../agent/feeds/loadFeeds.ts'
import { NewFeedError } from './newFeedError.ts'

/**
 * Adds an entry to a feeds file, which is created if missing. The file is replaced atomically, and other entries stay
 * exactly as written.
 *
 * @throws {FeedsFileError} if the file breaks its rules.
 * @throws {LockedError} while another process writes it.
 * @throws {NewFeedError} if it already has the id.
 */
export function writeFeed(path: string, feed: FeedConfig): Promise<void> {
  return changeFile(path, async (text, file) => {
    const before = text === null ? [] : await loadFeeds(file)
    if (before.some(({ feed_id }) => feed_id === feed.feed_id))
      throw new NewFeedError({
        reason: 'feeds_file',
        message: `${feed.feed_id} is already in ${path}; choose another id with --id`,
      })
    return appendFeed(text ?? '[]\n', feed)
  })
}

/**
 * Writes `upstream_unit` into entries of a feeds file that have none. The file is replaced atomically, and all else
 * stays exactly as written.
 *
 * @param units by feed id
 */
export function writeUnits(path: string, units: ReadonlyMap<string, string>): Promise<void> {
  return changeFile(path, async (text, file) => {
    const feeds = await loadFeeds(file)
    return insertUnits(
      text ?? '[]\n',
      feeds.map((feed) =>
        isDataset(feed) || feed.upstream_unit !== undefined ? null : (units.get(feed.feed_id) ?? null),
      ),
    )
  })
}

/** Changes a file while holding its lock. `text` is null if it does not exist. */
async function changeFile(
  path: string,
  change: (text: string | null, file: string) => Promise<string>,
): Promise<void> {
  const file = await findFile(path)
  using _ = acquireLock(`${file}.lock`)
  const text = await readFile(file, 'utf8').catch(nullIfMissing)
  const changed = await change(text, file)
  const mode = text === null ? 0o644 : (await stat(file)).mode
  await writeAtomically(file, changed)
  await chmod(file, mode)
}

/** Resolves a link: otherwise the link itself would be replaced. */
async function findFile(path: string): Promise<string> {
  return (await realpath(path).catch(nullIfMissing)) ?? path
}

/**
 * Appends an entry to the text of a feeds file, indented like the first one. The rest stays exactly as written.
 *
 * @param text a JSON array
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

/**
 * Inserts `upstream_unit` at the end of entries of a feeds file, on a line of its own if the last field is on one.
 *
 * @param text a JSON array of objects that are not empty
 * @param units one for each entry; null leaves the entry as it is
 */
export function insertUnits(text: string, units: readonly (string | null)[]): string {
  let done = 0
  const parts = entryEnds(text).map((end, index) => {
    const unit = units[index] ?? null
    if (unit === null) return ''
    const before = text.slice(0, end).trimEnd()
    const [newline = null] = /\r?\n/.exec(text.slice(before.length, end)) ?? []
    const [, indent = ''] = /\n([ \t]*)[^\n]*$/.exec(before) ?? []
    const gap = newline === null ? ' ' : newline + indent
    const part = `${before.slice(done)},${gap}"upstream_unit": ${JSON.stringify(unit)}`
    done = before.length
    return part
  })
  return parts.join('') + text.slice(done)
}

/** Finds where each entry of a JSON array ends: the places of their closing braces. */
function entryEnds(text: string): number[] {
  const ends: number[] = []
  let depth = 0
  // Texts are matched whole, so that brackets in them do not count.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1
    if (token !== '}' && token !== ']') continue
    depth -= 1
    if (depth === 1 && token === '}') ends.push(index)
  }
  return ends
}
