import { chmod, readFile, realpath, stat } from 'node:fs/promises'
import { nullIfMissing } from '@wattfeed/base'
import { acquireLock, writeAtomically } from '@wattfeed/base/disk'
import { applyEdits, type Edit, type Node, parseTree } from 'jsonc-parser'
import { type FeedConfig, isDataset } from './feedConfig.ts'
import { loadFeeds } from './loadFeeds.ts'
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
  const list = listIn(text)
  const [first] = list.children
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const indent = first === undefined ? '  ' : indentOf(text.slice(0, first.offset))
  const last = list.children.at(-1)
  const [start, comma] = last === undefined ? [list.offset + 1, ''] : [endOf(last), ',']
  // If the entries are on one line, the new one is too.
  if (indent === null)
    return applyEdits(text, [{ offset: start, length: 0, content: `, ${JSON.stringify(feed)}` }])
  const lines = JSON.stringify(feed, null, indent || '  ').split('\n')
  const entry = lines.map((line) => newline + indent + line).join('')
  const length = endOf(list) - 1 - start
  return applyEdits(text, [{ offset: start, length, content: comma + entry + newline }])
}

/**
 * Inserts `upstream_unit` at the end of entries of a feeds file, on a line of its own if the last field is on one.
 *
 * @param text a JSON array of objects that are not empty
 * @param units one for each entry; null leaves the entry as it is
 */
export function insertUnits(text: string, units: readonly (string | null)[]): string {
  const edits = listIn(text).children.flatMap((entry, index): Edit[] => {
    const unit = units[index] ?? null
    const last = entry.children?.at(-1)
    if (unit === null || last === undefined) return []
    const [newline = null] = /\r?\n/.exec(text.slice(endOf(last), endOf(entry))) ?? []
    const [, indent = ''] = /\n([ \t]*)[^\n]*$/.exec(text.slice(0, last.offset)) ?? []
    const gap = newline === null ? ' ' : newline + indent
    return [{ offset: endOf(last), length: 0, content: `,${gap}"upstream_unit": ${JSON.stringify(unit)}` }]
  })
  return applyEdits(text, edits)
}

/** The places of a JSON array and its items. The formatter of jsonc-parser would also change the lines beside an item. */
function listIn(text: string): Node & { children: Node[] } {
  const list = parseTree(text)
  if (list?.children === undefined) throw new TypeError('the text is not a JSON array')
  return { ...list, children: list.children }
}

const endOf = ({ offset, length }: Node): number => offset + length

/** Returns the blanks at the start of a line that has nothing else yet; null if it has. */
const indentOf = (before: string): string | null => /\n([ \t]*)$/.exec(before)?.[1] ?? null
