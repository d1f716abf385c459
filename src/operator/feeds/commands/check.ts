import { exitCodes } from '../../../agent/exitCodes.ts'
import { loadFeeds, pickFeed } from '../../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { printable } from '../../../runtime/printable.ts'
import {
  type CheckedFeed,
  checkFeeds,
  formatChecks,
  unitLines,
  unitsToWrite,
  withWrittenUnit,
} from '../checkFeeds.ts'
import { writeUnits } from '../writeFeed.ts'
import { feedsPath, type Listener, type Outcome, openEia, writableFeedsPath } from './command.ts'

/** `feeds check [id]`: without an id, all feeds of the file. With `write`, units that are missing are written into it. */
export async function check(
  settings: AgentSettings,
  feedId: string | undefined,
  { write: isWriting = false }: { write?: boolean },
  { warn, progress }: Listener,
): Promise<Outcome> {
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
    text: [formatChecks(feeds, file), ...formatUnits(unitLines(feeds, new Date()))].join('\n'),
    exitCode: exitCodeOf(feeds, eia !== null),
  }
}

const formatUnits = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['units that EIA states as configured, as lines for docs/units.md:', ...lines]

function exitCodeOf(feeds: readonly CheckedFeed[], isEiaAsked: boolean): number {
  if (feeds.some(({ is_right }) => !is_right)) return exitCodes.someFailed
  return isEiaAsked ? exitCodes.done : exitCodes.notRun
}
