import { Type } from '@sinclair/typebox'
import { type Command, Option } from 'commander'
import {
  type AgentNeeds,
  type AgentSettings,
  agentSecrets,
  readAgentSettings,
} from './agent/settings/agentSettings.ts'
import { attest } from './operator/feeds/commands/attest.ts'
import { type BackfillOptions, backfill } from './operator/feeds/commands/backfill.ts'
import { check } from './operator/feeds/commands/check.ts'
import type { Outcome } from './operator/feeds/commands/command.ts'
import { costs } from './operator/feeds/commands/costs.ts'
import { findDatasets, findFacetValues, listFacets, type Section } from './operator/feeds/commands/find.ts'
import {
  attestHelp,
  backfillHelp,
  checkHelp,
  claimantHelp,
  costsHelp,
  datasetsHelp,
  facetsHelp,
  feedsHelp,
  feedsSettings,
  historyHelp,
  listHelp,
  newHelp,
  registerHelp,
} from './operator/feeds/commands/help.ts'
import { addFeed, parseFacet } from './operator/feeds/commands/new.ts'
import { claimant, history, list } from './operator/feeds/commands/read.ts'
import { type RegisterOptions, register } from './operator/feeds/commands/register.ts'
import type { NewFeedFlags } from './operator/feeds/selectSeries.ts'
import { createCommand, option } from './runtime/commanderOption.ts'
import { similarNames } from './runtime/misspelt.ts'
import { createTerminal } from './runtime/terminal.ts'

interface PrintOptions {
  json?: boolean
}

type WriteOptions = PrintOptions & { dryRun?: boolean }

const reads: AgentNeeds = { writes: false, fetches: false }
const writes: AgentNeeds = { writes: true, fetches: false }

const terminal = createTerminal('feeds')

/** Runs a command with the settings it needs. */
const run = (
  name: string,
  { json }: PrintOptions,
  needs: AgentNeeds,
  work: (settings: AgentSettings) => Promise<Outcome>,
): Promise<void> =>
  terminal.run({ name, json }, async () => {
    const settings = readAgentSettings(process.env, needs, feedsSettings)
    terminal.hide(agentSecrets(settings))
    for (const message of similarNames(process.env, feedsSettings)) terminal.warn(message)
    return work(settings)
  })

/** `wattfeed feeds` */
export const feedsCommand = createCommand('feeds')
  .description('Finds, adds, checks, registers, attests and lists the feeds of wattfeed.')
  .addHelpText('after', feedsHelp)

const reading = (usage: string, description: string, help: string): Command =>
  feedsCommand
    .command(usage)
    .description(description)
    .option('--json', 'print one JSON object on standard output')
    .addHelpText('after', help)

const writing = (usage: string, description: string, help: string): Command =>
  reading(usage, description, help).option('--dry-run', 'check everything and write nothing')

reading('list', 'show feeds on chain and in the feeds file side by side', listHelp).action(
  (options: PrintOptions) => run('list', options, reads, (settings) => list(settings, terminal)),
)

reading('check', 'check configured feeds against the catalog and EIA', checkHelp)
  .argument('[id]', 'one feed of the feeds file (default: all)')
  .option('--write', 'write the units that EIA states, where a feed has no upstream_unit')
  .action((id: string | undefined, options: PrintOptions & { write?: boolean }) =>
    run('check', options, { writes: false, fetches: options.write === true }, (settings) =>
      check(settings, id, options, terminal),
    ),
  )

writing('register', 'register a configured feed, or its changed metadata', registerHelp)
  .argument('[id]', 'one feed of the feeds file')
  .option('--all', 'every feed of the feeds file')
  .option('--rescale-history', 'also change decimals or unit of a feed that has values')
  .action(
    (
      id: string | undefined,
      { all = false, ...options }: PrintOptions & RegisterOptions & { all?: boolean },
      self: Command,
    ) => {
      if ((id === undefined) !== all) self.error('error: give the id of a feed, or --all')
      return run('register', options, writes, (settings) => register(settings, id, options, terminal))
    },
  )

writing('attest', 'fetch, decide and attest one feed, as the agent does', attestHelp)
  .argument('<id>', 'a feed of the feeds file')
  .action((id: string, options: WriteOptions) => {
    const needs = { writes: options.dryRun !== true, fetches: true }
    return run('attest', options, needs, (settings) => attest(settings, id, options, terminal))
  })

writing('backfill', 'attest the past of one feed, oldest first', backfillHelp)
  .argument('<id>', 'a feed of the feeds file')
  .requiredOption('--from <period>', 'the first period, as EIA writes it: 2020-01-31, 2020-01, 2020-Q1, 2020')
  .option('--to <period>', 'the last period (default: the newest)')
  .option('--and-restate', 'also of a feed with values: each transaction ends with the newest value again')
  .action((id: string, options: WriteOptions & BackfillOptions) => {
    const needs = { writes: options.dryRun !== true, fetches: true }
    return run('backfill', options, needs, (settings) => backfill(settings, id, options, terminal))
  })

reading('history', 'show the newest values of a feed', historyHelp)
  .argument('<id>', 'a feed on chain')
  .addOption(
    new Option('--last <count>', 'how many values')
      .argParser(option(Type.Integer({ minimum: 1, maximum: 999_999 })))
      .default(20),
  )
  .action((id: string, { last, ...options }: PrintOptions & { last: number }) =>
    run('history', options, reads, (settings) => history(settings, id, last)),
  )

reading('claimant', 'show who may attest to a feed', claimantHelp)
  .argument('<id>', 'a feed on chain')
  .action((id: string, options: PrintOptions) =>
    run('claimant', options, reads, (settings) => claimant(settings, id)),
  )

type NewFlags = Omit<NewFeedFlags, 'route' | 'facets'> & {
  facet: NewFeedFlags['facets']
}

writing('new', 'add a feed to the feeds file', newHelp)
  .argument('[route]', 'a dataset of the catalog: its route')
  .option('--frequency <frequency>', 'one of the dataset’s')
  .option('--column <column>', 'one of the dataset’s')
  .addOption(
    new Option('--facet <id=value>', 'a facet’s value; can be repeated')
      .argParser(parseFacet)
      .default({}, 'none'),
  )
  .option('--id <id>', 'the feed’s id on chain')
  .option('--title <text>', 'what the feed is called')
  .option('--description <text>', 'what it measures')
  .option('--unit <unit>', 'display unit, as it will stand on chain')
  .option('--decimals <count>', 'how many digits behind the decimal point are attested')
  .option(
    '--allow-future',
    'attest forecasts: periods that are still to come, or months, quarters and years that are not over',
  )
  .action((route: string | undefined, { json, dryRun, facet: facets, ...flags }: WriteOptions & NewFlags) =>
    run('new', { ...(json ? { json } : {}) }, reads, async (settings) => {
      const isTerminal = process.stdin.isTTY && process.stderr.isTTY
      const streams = isTerminal ? { input: process.stdin, output: process.stderr } : null
      const feed = { ...flags, facets, ...(route === undefined ? {} : { route }) }
      return await addFeed(settings, feed, { ...(dryRun ? { dryRun } : {}), terminal: streams }, terminal)
    }),
  )

const DEFAULT_LIMIT = 20

const paged = (command: Command): Command =>
  command
    .addOption(
      new Option('--limit <count>', 'how many at most')
        .argParser(option(Type.Integer({ minimum: 1, maximum: 10_000 })))
        .default(DEFAULT_LIMIT),
    )
    .addOption(
      new Option('--offset <count>', 'how many to leave out')
        .argParser(option(Type.Integer({ minimum: 0, maximum: 999_999 })))
        .default(0),
    )

type PageOptions = PrintOptions & Section

paged(reading('datasets', 'find datasets in the catalog', datasetsHelp))
  .argument('[words...]', 'parts of route, name or description; all of them must match')
  .action((words: string[], options: PageOptions) =>
    run('datasets', options, reads, async () => findDatasets(words, options)),
  )

paged(reading('facets', 'list the facets of a dataset, or the values of one', facetsHelp))
  .argument('<route>', 'a dataset of the catalog')
  .argument('[facet]', 'one of its facets: its values are asked from EIA')
  .argument('[words...]', 'parts of a value’s id or name; all of them must match')
  .action((route: string, facet: string | undefined, words: string[], options: PageOptions) =>
    facet === undefined
      ? run('facets', options, reads, async () => listFacets(route, options))
      : run('facets', options, { writes: false, fetches: true }, (settings) =>
          findFacetValues(settings, { route, facet, words }, options),
        ),
  )

reading('costs', 'estimate what attesting the feeds file costs', costsHelp).action((options: PrintOptions) =>
  run('costs', options, reads, costs),
)

if (import.meta.main) await feedsCommand.parseAsync()
