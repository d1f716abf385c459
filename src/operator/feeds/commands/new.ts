import { access } from 'node:fs/promises'
import type { FeedConfig } from '../../../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { newFeed } from '../newFeed.ts'
import type { NewFeedFlags } from '../newFeedFlags.ts'
import type { Prompt } from '../prompt.ts'
import { writeFeed } from '../writeFeed.ts'
import { exitCodes } from './exitCodes.ts'
import { writableFeedsPath } from './feedsPath.ts'
import { openEia } from './openEia.ts'
import type { Listener, Outcome } from './outcome.ts'

/** What `new` is told beside the feed. */
export interface NewOptions {
  dryRun?: boolean
  /** Null where nobody can be asked. */
  prompt: Prompt | null
}

/** `feeds new [route]` */
export async function addFeed(
  settings: AgentSettings,
  flags: NewFeedFlags,
  { dryRun: isDryRun = false, prompt }: NewOptions,
  { warn }: Listener,
): Promise<Outcome> {
  const file = writableFeedsPath(settings.feedsFile)
  const known = await loadIfThere(file)
  const takenIds = new Set(known.map(({ feed_id }) => feed_id))
  const feed = await newFeed(flags, { prompt, eia: openEia(settings), takenIds, now: Date.now, warn })
  if (!isDryRun) await writeFeed(file, feed)
  return {
    report: { command: 'new', feeds_file: file, is_dry_run: isDryRun, feed },
    text: `${JSON.stringify(feed, null, 2)}\n${isDryRun ? `would be added to ${file}` : `added to ${file}`}`,
    exitCode: exitCodes.done,
  }
}

async function loadIfThere(file: string): Promise<readonly FeedConfig[]> {
  try {
    await access(file)
  } catch {
    return []
  }
  return loadFeeds(file)
}
