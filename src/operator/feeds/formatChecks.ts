import { printable } from '../../runtime/printable.ts'
import type { Check } from './check.ts'
import type { CheckedFeed } from './checkFeeds.ts'

/** Checks for people: of one feed all, of several what did not pass. `file` is where a mark can be removed. */
export function formatChecks(feeds: readonly CheckedFeed[], file: string): string {
  const isOne = feeds.length === 1
  const width = Math.max(0, ...feeds.map(({ feed_id }) => feed_id.length))
  const wrong = feeds.filter(({ is_right }) => !is_right).length
  return [
    ...feeds.flatMap((feed) => [titleOf(feed, width), ...formatFeed(feed, isOne, file)]),
    ...(isOne ? [] : [`${feeds.length} checked, ${wrong} wrong`]),
  ].join('\n')
}

function titleOf(feed: CheckedFeed, width: number): string {
  const { feed_id, newest } = feed
  const row = newest ? [newest.period, newest.value ?? 'null', newest.unit ?? ''] : []
  return `${printable(feed_id).padEnd(width)}  ${wordOf(feed)}  ${printable(row.join(' '))}`.trimEnd()
}

function formatFeed(feed: CheckedFeed, isOne: boolean, file: string): string[] {
  const shown = feed.checks.filter(({ state }) => isOne || state === 'failed')
  return [...shown.map(formatCheck), ...formatMark(feed, file)]
}

function wordOf({ is_right, checks }: CheckedFeed): string {
  if (!is_right) return 'wrong'
  return checks.some(({ state }) => state === 'skipped') ? 'right as far as the catalog tells' : 'right'
}

const formatCheck = ({ check, state, detail }: Check): string =>
  `  ${state.padEnd(7)}  ${check.replace('_', ' ').padEnd(13)}  ${printable(detail)}`

function formatMark({ unverified, is_confirmed }: CheckedFeed, file: string): string[] {
  if (unverified === null) return []
  return [
    is_confirmed
      ? `  confirmed: remove "unverified" from its entry in ${file}`
      : `  unverified: ${printable(unverified)}`,
  ]
}
