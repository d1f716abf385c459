import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'

/**
 * The text of a feeds file with one more entry at its end, indented as the first one; every other entry stays as it
 * is written.
 *
 * `text` must hold a JSON array.
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
  // Entries that stand on one line get another one there.
  if (indent === null) return `${before}, ${JSON.stringify(feed)}${text.slice(before.length)}`
  const lines = JSON.stringify(feed, null, indent || '  ').split('\n')
  const entry = lines.map((line) => indent + line).join(newline)
  return `${before}${isEmpty ? '' : ','}${newline}${entry}${newline}${text.slice(end)}`
}

/** What stands before the first entry on its line; null where that is not white space alone. */
const indentOf = (text: string): string | null => /^\s*\[[^\S\n]*\r?\n([ \t]*)\{/.exec(text)?.[1] ?? null
