import { exitCodes } from '../../../agent/exitCodes.ts'
import { FeedNotRegisteredError } from '../../../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import type { Client } from '../../../client/createClient.ts'
import { formatFeedList, isInStep, listFeeds } from '../listFeeds.ts'
import { formatHistory, readHistory } from '../readHistory.ts'
import { type Listener, type Outcome, openClient } from './command.ts'

/** Feeds between two lines of progress. */
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

/** `feeds history <id>` */
export async function history(settings: AgentSettings, feedId: string, last: number): Promise<Outcome> {
  const found = await readHistory(openClient(settings), feedId, last)
  return {
    report: { command: 'history', chain_name: settings.chainName, ...found },
    text: formatHistory(found),
    exitCode: exitCodes.done,
  }
}

/** `feeds claimant <id>` */
export async function claimant(settings: AgentSettings, feedId: string): Promise<Outcome> {
  const found = await readClaimant(openClient(settings), feedId)
  return {
    report: { command: 'claimant', chain_name: settings.chainName, ...found },
    text: found.claimant,
    exitCode: exitCodes.done,
  }
}

/** Who may attest to a feed. */
export interface Claimant {
  feed_id: string
  /** `account-hash-…` or `hash-…` */
  claimant: string
}

/** Reads who may attest to a feed. @throws {FeedNotRegisteredError} */
export async function readClaimant(client: Client, feedId: string): Promise<Claimant> {
  const claimant = await client.getClaimant(feedId)
  if (claimant === null) throw new FeedNotRegisteredError(feedId)
  return { feed_id: feedId, claimant }
}
