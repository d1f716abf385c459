import { access } from 'node:fs/promises'
import { Type } from '@sinclair/typebox'
import { formatDatasetRecipe } from '@wattfeed/dataset'
import { Option } from 'commander'
import { recipeOf } from 'wattfeed/internal'
import { formatRecipe } from 'wattfeed/provenance'
import { draftFields, draftNames } from '../../../feeds/catalog/feedEntry.ts'
import { datasetOf, type FeedConfig } from '../../../feeds/file/feedConfig.ts'
import { writableFeedsPath } from '../../../feeds/file/feedsPath.ts'
import { loadFeeds } from '../../../feeds/file/loadFeeds.ts'
import { writeFeed } from '../../../feeds/file/writeFeed.ts'
import { option } from '../../../runtime/settings/option.ts'
import type { CommandResult, Terminal } from '../../../runtime/terminal.ts'
import { openEia } from '../../open.ts'
import { parseFacet } from '../../parseFacet.ts'
import type { Program, WriteOptions } from '../../program.ts'
import type { FeedsSettings } from '../../settings.ts'
import { dryRunOption, readsOnly, runFeeds } from '../runFeeds.ts'
import { type NewDatasetFlags, newDataset } from './newDataset.ts'
import { newFeed } from './newFeed.ts'
import type { NewFeedFlags } from './selectSeries.ts'

const help = `
Adds a feed to the feeds file: FEEDS_FILE, or from source the one that comes with wattfeed. At a terminal it prompts for
missing flags, and suggests id, title, description, unit and decimals.

Without a terminal it uses its suggestions, and prints title and decimals on standard error: decimals cannot change once
the feed has values. They are the most of EIA's newest 2000 rows, and at least the usual number for the unit.

With EIA_API_KEY, facet values can be chosen from EIA's lists. The feed is then checked before it is written, and the unit
of its rows becomes "upstream_unit". Without a key, the feed is marked "unverified".

An open facet with several values in EIA's rows must be pinned. Pin every facet, or "series" alone: facets are part of the
hash of every value. "feeds datasets" and "feeds facets" find both.

With --dataset, the feed's values are roots of the whole dataset instead, of which any series can be proven. Its id follows
from route and frequency, its title and description from the catalog.

Examples:
  $ FEEDS_FILE=feeds.json bun run feeds new petroleum/pri/spt
  $ bun run feeds new petroleum/pri/spt --frequency weekly --facet series=RWTC --unit '$/bbl' --dry-run
  $ bun run feeds new electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=TX --facet sectorid=RES --id EIA.ELEC.RETAIL.PRICE.TX_RES.MONTHLY --unit cents/kWh
  $ bun run feeds new petroleum/pri/spt --frequency daily --dataset --periods 5`

type NewFlags = Omit<NewFeedFlags, 'route' | 'facets'> &
  Pick<NewDatasetFlags, 'columns' | 'periods'> & { facet: NewFeedFlags['facets']; dataset?: boolean }

export function addNew(program: Program): void {
  const command = program
    .add('new', 'add a feed to the feeds file', help)
    .option(...dryRunOption)
    .argument('[route]', 'a dataset of the catalog: its route')
    .option('--frequency <frequency>', 'one of the dataset’s')
    .option('--column <column>', 'one of the dataset’s')
    .addOption(
      new Option('--facet <id=value>', 'a facet’s value; can be repeated')
        .argParser((text, facets: NewFeedFlags['facets']) => parseFacet(text, facets))
        .default({}, 'none'),
    )
  for (const name of draftNames) command.option(draftFields[name].flag, draftFields[name].help)
  command
    .option(
      '--allow-future',
      'attest forecasts: periods that are still to come, or months, quarters and years that are not over',
    )
    .addOption(
      new Option('--dataset', 'attest roots of the whole dataset').conflicts([
        'column',
        'facet',
        'id',
        'unit',
        'decimals',
        'allowFuture',
      ]),
    )
    .addOption(
      new Option('--columns <ids>', 'columns of the whole dataset (default: all of the catalog)')
        .argParser((text) => text.split(','))
        .implies({ dataset: true }),
    )
    .addOption(
      new Option('--periods <count>', 'newest periods of the whole dataset (default: all)')
        .argParser(option(Type.Integer({ minimum: 1, maximum: 999_999 })))
        .implies({ dataset: true }),
    )
    .action((given: string | undefined, { facet: facets, dataset, ...options }: WriteOptions & NewFlags) =>
      runFeeds(program, 'new', options, readsOnly, (settings) => {
        const route = given === undefined ? {} : { route: given }
        return dataset
          ? addDataset(settings, { ...options, ...route })
          : addFeed(settings, { ...options, facets, ...route }, program.terminal)
      }),
    )
}

async function addDataset(
  settings: FeedsSettings,
  { dryRun: isDryRun = false, ...flags }: NewDatasetFlags & WriteOptions,
): Promise<CommandResult> {
  const { file, takenIds, terminal } = await openFile(settings)
  const feed = await newDataset(flags, { terminal, takenIds })
  if (!isDryRun) await writeFeed(file, feed)
  return resultOf(feed, formatDatasetRecipe(datasetOf(feed)), { file, isDryRun })
}

/** Opens the feeds file to which an entry is added, and the terminal, if there is one. */
async function openFile({ feedsFile }: FeedsSettings) {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  const file = writableFeedsPath(feedsFile)
  const known = await loadIfThere(file)
  return {
    file,
    takenIds: new Set(known.map(({ feed_id }) => feed_id)),
    terminal: isTerminal ? { input: process.stdin, output: process.stderr } : null,
  }
}

async function addFeed(
  settings: FeedsSettings,
  { dryRun: isDryRun = false, ...flags }: NewFeedFlags & WriteOptions,
  { warn }: Pick<Terminal, 'warn'>,
): Promise<CommandResult> {
  const { file, takenIds, terminal } = await openFile(settings)
  const feed = await newFeed(flags, {
    terminal,
    eia: openEia(settings),
    takenIds,
    now: Date.now,
    warn,
  })
  if (!isDryRun) await writeFeed(file, feed)
  const recipe = recipeOf(feed)
  return resultOf(feed, recipe && formatRecipe(recipe), { file, isDryRun })
}

/** Returns the result of the command. `recipe` is null if the unit of EIA's rows is unknown. */
function resultOf(
  feed: FeedConfig,
  recipe: string | null,
  { file, isDryRun }: { file: string; isDryRun: boolean },
): CommandResult {
  return {
    report: { command: 'new', feeds_file: file, is_dry_run: isDryRun, feed, recipe },
    text: [
      JSON.stringify(feed, null, 2),
      recipe === null
        ? 'without upstream_unit, nobody can recompute its hashes from the chain: "feeds check --write" sets it'
        : `on chain, the last line of its description will be ${recipe}`,
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
