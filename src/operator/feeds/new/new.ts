import { access } from 'node:fs/promises'
import { InvalidArgumentError, Option } from 'commander'
import type { FeedConfig } from '../../../agent/feeds/feedConfig.ts'
import { loadFeeds } from '../../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { draftFields, draftNames } from '../../../library/catalog/feedEntry.ts'
import { formatRecipe, recipeOf } from '../../../library/provenance/recipe.ts'
import type { CommandResult, Terminal } from '../../../runtime/terminal.ts'
import { openEia } from '../../open.ts'
import type { Program, WriteOptions } from '../../program.ts'
import { writableFeedsPath } from '../feedsPath.ts'
import { dryRunOption, readsOnly, runFeeds } from '../runFeeds.ts'
import { writeFeed } from '../writeFeed.ts'
import { newFeed } from './newFeed.ts'
import type { NewFeedFlags } from './selectSeries.ts'

const help = `
Adds a feed to the feeds file: FEEDS_FILE, or from source the one that comes with wattfeed. At a terminal it prompts for
missing flags, and suggests id, title, description, unit and decimals.

With EIA_API_KEY, facet values can be chosen from EIA's lists. The feed is then checked before it is written, and the unit
of its rows becomes "upstream_unit". Without a key, the feed is marked "unverified".

An open facet with several values in EIA's rows must be pinned. Pin every facet, or "series" alone: facets are part of the
hash of every value. "feeds datasets" and "feeds facets" find both.

Examples:
  $ FEEDS_FILE=feeds.json bun run feeds new petroleum/pri/spt
  $ bun run feeds new petroleum/pri/spt --frequency weekly --facet series=RWTC --unit '$/bbl' --dry-run
  $ bun run feeds new electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=TX --facet sectorid=RES --id EIA.ELEC.RETAIL.PRICE.TX_RES.MONTHLY --unit cents/kWh`

type NewFlags = Omit<NewFeedFlags, 'route' | 'facets'> & { facet: NewFeedFlags['facets'] }

export function addNew(program: Program): void {
  const command = program
    .add('new', 'add a feed to the feeds file', help)
    .option(...dryRunOption)
    .argument('[route]', 'a dataset of the catalog: its route')
    .option('--frequency <frequency>', 'one of the dataset’s')
    .option('--column <column>', 'one of the dataset’s')
    .addOption(
      new Option('--facet <id=value>', 'a facet’s value; can be repeated')
        .argParser(parseFacet)
        .default({}, 'none'),
    )
  for (const name of draftNames) command.option(draftFields[name].flag, draftFields[name].help)
  command
    .option(
      '--allow-future',
      'attest forecasts: periods that are still to come, or months, quarters and years that are not over',
    )
    .action((route: string | undefined, { facet: facets, ...options }: WriteOptions & NewFlags) =>
      runFeeds(program, 'new', options, readsOnly, (settings) =>
        addFeed(
          settings,
          { ...options, facets, ...(route === undefined ? {} : { route }) },
          program.terminal,
        ),
      ),
    )
}

async function addFeed(
  settings: AgentSettings,
  { dryRun: isDryRun = false, ...flags }: NewFeedFlags & WriteOptions,
  { warn }: Pick<Terminal, 'warn'>,
): Promise<CommandResult> {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  const streams = isTerminal ? { input: process.stdin, output: process.stderr } : null
  const file = writableFeedsPath(settings.feedsFile)
  const known = await loadIfThere(file)
  const takenIds = new Set(known.map(({ feed_id }) => feed_id))
  const feed = await newFeed(flags, {
    terminal: streams,
    eia: openEia(settings),
    takenIds,
    now: Date.now,
    warn,
  })
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
function parseFacet(text: string, facets: Readonly<Record<string, string>>): Record<string, string> {
  const [, facet, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (facet === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a facet id, then = and its value.')
  if (facet in facets) throw new InvalidArgumentError(`The facet ${facet} already has a value.`)
  return { ...facets, [facet]: value }
}
