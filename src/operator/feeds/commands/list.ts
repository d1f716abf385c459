import { loadFeeds } from '../../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { formatFeedList } from '../formatFeedList.ts'
import { isInStep, listFeeds } from '../listFeeds.ts'
import { exitCodes } from './exitCodes.ts'
import { openClient } from './openClient.ts'
import type { Listener, Outcome } from './outcome.ts'

/** Feeds between two words of progress. */
const PROGRESS_EVERY = 100

/** `feeds list` */
export async function list(settings: AgentSettings, { progress }: Listener): Promise<Outcome> {
  const { chainName, feedsFile } = settings
  const found = await listFeeds(openClient(settings), await loadFeeds(feedsFile), (done, total) => {
    if (done % PROGRESS_EVERY === 0) progress(`${done} of ${total} feeds read`)
  })
  return {
    report: { command: 'list', chain_name: chainName, ...found },
    text: formatFeedList(chainName, found),
    exitCode: isInStep(found) ? exitCodes.done : exitCodes.someFailed,
  }
}
