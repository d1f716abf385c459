import { access } from 'node:fs/promises'
import { InvalidArgumentError } from 'commander'
import { exitCodes } from '../../../agent/exitCodes.ts'
import { type FeedConfig, recipeOf } from '../../../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { formatRecipe } from '../../../eia/recipe.ts'
import { newFeed } from '../newFeed.ts'
import type { PromptStreams } from '../prompt.ts'
import type { NewFeedFlags } from '../selectSeries.ts'
import { writeFeed } from '../writeFeed.ts'
import { type Listener, type Outcome, openEia, writableFeedsPath } from './command.ts'

export interface NewOptions {
  dryRun?: boolean
  /** Null without a terminal. */
  terminal: PromptStreams | null
}

/** `feeds new [route]` */
export async function addFeed(
  settings: AgentSettings,
  flags: NewFeedFlags,
  { dryRun: isDryRun = false, terminal }: NewOptions,
  { warn }: Listener,
): Promise<Outcome> {
  const file = writableFeedsPath(settings.feedsFile)
  const known = await loadIfThere(file)
  const takenIds = new Set(known.map(({ feed_id }) => feed_id))
  const feed = await newFeed(flags, { terminal, eia: openEia(settings), takenIds, now: Date.now, warn })
  if (!isDryRun) await writeFeed(file, feed)
  const recipe = recipeOf(feed)
  return {
    report: {
      command: 'new',
      feeds_file: file,
      is_dry_run: isDryRun,
      feed,
      recipe: recipe && formatRecipe(recipe),
    },
    text: [
      JSON.stringify(feed, null, 2),
      recipe === null
        ? 'without upstream_unit, nobody can recompute its hashes from the chain: "feeds check --write" sets it'
        : `on chain, the last line of its description will be ${formatRecipe(recipe)}`,
      isDryRun ? `would be added to ${file}` : `added to ${file}`,
    ].join('\n'),
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

/** Parses `--facet series=RWTC`, which can be repeated. */
export function parseFacet(text: string, facets: Readonly<Record<string, string>>): Record<string, string> {
  const [, facet, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (facet === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a facet id, then = and its value.')
  if (facet in facets) throw new InvalidArgumentError(`The facet ${facet} has a value already.`)
  return { ...facets, [facet]: value }
}
