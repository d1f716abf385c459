import { feedsPath, writableFeedsPath } from '../../../feeds/file/feedsPath.ts'
import { loadFeeds, pickFeed } from '../../../feeds/file/loadFeeds.ts'
import { writeUnits } from '../../../feeds/file/writeFeed.ts'
import { exitCodes } from '../../../runtime/exitCodes.ts'
import { printable } from '../../../runtime/printable.ts'
import type { CommandResult, Terminal } from '../../../runtime/terminal.ts'
import { openEia } from '../../open.ts'
import type { JsonOption, Program } from '../../program.ts'
import type { FeedsSettings } from '../../settings.ts'
import { runFeeds } from '../runFeeds.ts'
import { type CheckedFeed, checkFeeds, unitsToWrite, withWrittenUnit } from './checkFeeds.ts'
import type { Check } from './checks.ts'

const help = `
Checks configured feeds against the catalog: dataset, frequency, column and facets exist, and one series is
selected. With EIA_API_KEY it also checks EIA: the facet values exist, and the newest 2000 rows are one series with one
row per period and the feed's "upstream_unit".

A feed without "upstream_unit" fails if its rows state a unit; --write adds it to the feeds file and changes nothing else.
"warned" is an open facet with a single value in those rows. Feeds marked "unverified" are reported as confirmed or not.
Exits with 2 if a check fails.

Examples:
  $ bun run feeds check
  $ EIA_API_KEY=… FEEDS_FILE=feeds.json bun run feeds check --write
  $ EIA_API_KEY=… bun run feeds check EIA.PET.PRICE.WTI.DAILY
  $ bun run feeds check --json | jq '.feeds[] | select(.is_right | not)'`

export function addCheck(program: Program): void {
  program
    .add('check', 'check configured feeds against the catalog and EIA', help)
    .argument('[id]', 'one feed of the feeds file (default: all)')
    .option('--write', 'write the units that EIA states, where a feed has no upstream_unit')
    .action((id: string | undefined, options: CheckOptions) =>
      runFeeds(program, 'check', options, { writes: false, fetches: options.write === true }, (settings) =>
        check(settings, id, options, program.terminal),
      ),
    )
}

interface CheckOptions extends JsonOption {
  /** Whether units that are missing are written into the feeds file. */
  write?: boolean
}

/** Without an id, checks all feeds of the file. */
async function check(
  settings: FeedsSettings,
  feedId: string | undefined,
  { write: isWriting = false }: CheckOptions,
  { warn, progress }: Pick<Terminal, 'warn' | 'progress'>,
): Promise<CommandResult> {
  const file = isWriting ? writableFeedsPath(settings.feedsFile) : feedsPath(settings.feedsFile)
  const all = await loadFeeds(settings.feedsFile)
  const configs = feedId === undefined ? all : [pickFeed(all, feedId)]
  const eia = openEia(settings)
  if (eia === null) warn('EIA_API_KEY is not set: facet values, newest periods and units were not checked')
  const checked = await checkFeeds(configs, eia, ({ feed_id }, done) => {
    if (eia !== null) progress(`${done} of ${configs.length} checked: ${printable(feed_id)}`)
  })
  const written = isWriting ? unitsToWrite(checked) : new Map<string, string>()
  if (written.size > 0) await writeUnits(file, written)
  const feeds = checked.map((feed) => withWrittenUnit(feed, written.get(feed.feed_id) ?? null))
  const units = Object.fromEntries(written)
  return {
    report: { command: 'check', feeds_file: file, is_eia_asked: eia !== null, written_units: units, feeds },
    // docs/units.md is about the feeds that come with wattfeed.
    text: [
      formatChecks(feeds, file),
      ...formatUnits(settings.feedsFile === null ? unitLines(feeds, new Date()) : []),
    ].join('\n'),
    exitCode: exitCodeOf(feeds, eia !== null),
  }
}

const formatUnits = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['units that EIA states as configured, as lines for docs/units.md:', ...lines]

function exitCodeOf(feeds: readonly CheckedFeed[], isEiaAsked: boolean): number {
  if (feeds.some(({ is_right }) => !is_right)) return exitCodes.someFailed
  return isEiaAsked ? exitCodes.done : exitCodes.notRun
}

/**
 * Formats checks for people: all checks of a single feed, else only those that did not pass. `file` is the feeds file.
 */
export function formatChecks(feeds: readonly CheckedFeed[], file: string): string {
  const isOne = feeds.length === 1
  const width = Math.max(0, ...feeds.map(({ feed_id }) => feed_id.length))
  const wrong = feeds.filter(({ is_right }) => !is_right).length
  return [
    ...feeds.flatMap((feed) => [titleOf(feed, width), ...formatFeed(feed, isOne, file)]),
    ...(isOne ? [] : [`${feeds.length} checked, ${wrong} wrong`]),
  ].join('\n')
}

/** Returns the lines of docs/units.md for feeds whose unit EIA states as configured. */
export const unitLines = (feeds: readonly CheckedFeed[], today: Date): string[] =>
  feeds.flatMap(({ feed_id, newest, checks }) => {
    const isSeen = checks.some(({ check, state }) => check === 'upstream_unit' && state === 'passed')
    const unit = newest?.unit ?? null
    return isSeen && unit !== null
      ? [printable(`| \`${feed_id}\` | \`${unit}\` | ${today.toISOString().slice(0, 10)} |`)]
      : []
  })

function titleOf(feed: CheckedFeed, width: number): string {
  const { feed_id, newest } = feed
  const row = newest ? [newest.period, newest.value ?? 'null', newest.unit ?? ''] : []
  return `${printable(feed_id).padEnd(width)}  ${wordOf(feed)}  ${printable(row.join(' '))}`.trimEnd()
}

function formatFeed(feed: CheckedFeed, isOne: boolean, file: string): string[] {
  const shown = feed.checks.filter(({ state }) => isOne || state === 'failed' || state === 'warned')
  return [...shown.map(formatCheck), ...formatUnverified(feed, file)]
}

function wordOf({ is_right, checks }: CheckedFeed): string {
  if (!is_right) return 'wrong'
  return checks.some(({ state }) => state === 'skipped') ? 'right according to the catalog alone' : 'right'
}

const formatCheck = ({ check, state, detail }: Check): string =>
  `  ${state.padEnd(7)}  ${check.replace('_', ' ').padEnd(13)}  ${printable(detail)}`

function formatUnverified({ unverified, is_confirmed }: CheckedFeed, file: string): string[] {
  if (unverified === null) return []
  return [
    is_confirmed
      ? `  confirmed: remove "unverified" from its entry in ${file}`
      : `  unverified: ${printable(unverified)}`,
  ]
}
