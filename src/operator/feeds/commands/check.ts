import { exitCodes } from '../../../agent/exitCodes.ts'
import { loadFeeds, pickFeed } from '../../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { printable } from '../../../runtime/printable.ts'
import { checkFeeds, formatChecks } from '../checkFeeds.ts'
import { feedsPath, type Listener, type Outcome, openEia } from './command.ts'

/** `feeds check [id]`: without an id, all feeds of the file. */
export async function check(
  settings: AgentSettings,
  feedId: string | undefined,
  { warn, progress }: Listener,
): Promise<Outcome> {
  const file = feedsPath(settings.feedsFile)
  const all = await loadFeeds(settings.feedsFile)
  const configs = feedId === undefined ? all : [pickFeed(all, feedId)]
  const eia = openEia(settings)
  if (eia === null) warn('EIA_API_KEY is not set: facet values, newest periods and units were not checked')
  const feeds = await checkFeeds(configs, eia, ({ feed_id }, done) => {
    if (eia !== null) progress(`${done} of ${configs.length} checked: ${printable(feed_id)}`)
  })
  return {
    report: { command: 'check', feeds_file: file, is_eia_asked: eia !== null, feeds },
    text: formatChecks(feeds, file),
    exitCode: feeds.every(({ is_right }) => is_right) ? exitCodes.done : exitCodes.someFailed,
  }
}
