import { Command, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { exitCodes } from './agent/exitCodes.ts'
import {
  type AgentNeeds,
  type AgentSettings,
  agentSecrets,
  readAgentSettings,
} from './agent/settings/agentSettings.ts'
import { createRedact } from './bytes/redact.ts'
import { attest } from './operator/feeds/commands/attest.ts'
import { check } from './operator/feeds/commands/check.ts'
import type { Listener, Outcome } from './operator/feeds/commands/command.ts'
import {
  attestHelp,
  checkHelp,
  claimantHelp,
  feedsHelp,
  historyHelp,
  listHelp,
  newHelp,
  registerHelp,
} from './operator/feeds/commands/help.ts'
import { addFeed, parseFacet } from './operator/feeds/commands/new.ts'
import { claimant, history, list } from './operator/feeds/commands/read.ts'
import { register } from './operator/feeds/commands/register.ts'
import { createPrompt } from './operator/feeds/prompt.ts'
import type { NewFeedFlags } from './operator/feeds/selectSeries.ts'
import { option } from './runtime/commanderOption.ts'
import { commandError } from './runtime/errorFields.ts'
import { integer } from './runtime/parsers.ts'

interface PrintOptions {
  json?: boolean
}

type WriteOptions = PrintOptions & { dryRun?: boolean }

const reads: AgentNeeds = { writes: false, fetches: false }
const writes: AgentNeeds = { writes: true, fetches: false }

/** Prints what a command found out or did, or why it could not. */
async function run(
  command: string,
  { json = false }: PrintOptions,
  needs: AgentNeeds,
  work: (settings: AgentSettings) => Promise<Outcome>,
): Promise<void> {
  try {
    const settings = readAgentSettings(process.env, needs)
    redact = createRedact(agentSecrets(settings))
    const { report, text, exitCode } = await work(settings)
    console.log(json ? JSON.stringify(report) : text)
    process.exitCode = exitCode
  } catch (error) {
    const failure = commandError(error)
    const message = redact(failure.message)
    if (json) console.log(JSON.stringify({ command, error: { ...failure, message } }))
    warn(message)
    process.exitCode = exitCodes.notRun
  }
}

/** The last line of defence: errors are made without secrets in the first place. */
let redact = (text: string): string => text

const warn = (message: string): void => {
  for (const line of redact(message).split('\n')) console.error(`feeds: ${line}`)
}

let lastProgress = ''

const listener: Listener = {
  warn,
  /** Only to people, and only what is new. */
  progress(line) {
    if (process.stderr.isTTY && line !== lastProgress) console.error(line)
    lastProgress = line
  },
}

const program = new Command('feeds')
  .description('Lists, checks, registers, attests and adds the feeds of wattfeed.')
  .version(manifest.version)
  .addHelpText('after', feedsHelp)

const reading = (usage: string, description: string, help: string): Command =>
  program
    .command(usage)
    .description(description)
    .option('--json', 'print one JSON object on standard output')
    .addHelpText('after', help)

const writing = (usage: string, description: string, help: string): Command =>
  reading(usage, description, help).option('--dry-run', 'check everything and write nothing')

reading('list', 'show feeds on chain and in the feeds file side by side', listHelp).action(
  (options: PrintOptions) => run('list', options, reads, (settings) => list(settings, listener)),
)

reading('check', 'hold configured feeds against the catalog and EIA', checkHelp)
  .argument('[id]', 'one feed of the feeds file (default: all)')
  .action((id: string | undefined, options: PrintOptions) =>
    run('check', options, reads, (settings) => check(settings, id, listener)),
  )

writing('register', 'register a configured feed, or its changed metadata', registerHelp)
  .argument('[id]', 'one feed of the feeds file')
  .option('--all', 'every feed of the feeds file')
  .action(
    (
      id: string | undefined,
      { all = false, ...options }: WriteOptions & { all?: boolean },
      self: Command,
    ) => {
      if ((id === undefined) !== all) self.error('error: give the id of a feed, or --all')
      return run('register', options, writes, (settings) => register(settings, id, options, listener))
    },
  )

writing('attest', 'fetch, decide and attest one feed, as the agent does', attestHelp)
  .argument('<id>', 'a feed of the feeds file')
  .action((id: string, options: WriteOptions) => {
    const needs = { writes: options.dryRun !== true, fetches: true }
    return run('attest', options, needs, (settings) => attest(settings, id, options, listener))
  })

reading('history', 'show the newest values of a feed', historyHelp)
  .argument('<id>', 'a feed on chain')
  .addOption(
    new Option('--last <count>', 'how many values').argParser(option(integer(1, 999_999))).default(20),
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
  .option('--allow-future', 'attest periods that have not begun: forecasts')
  .action((route: string | undefined, { json, dryRun, facet: facets, ...flags }: WriteOptions & NewFlags) =>
    run('new', { ...(json ? { json } : {}) }, reads, async (settings) => {
      const isTerminal = process.stdin.isTTY && process.stderr.isTTY
      using prompt = isTerminal ? createPrompt(process.stdin, process.stderr) : null
      const feed = { ...flags, facets, ...(route === undefined ? {} : { route }) }
      return await addFeed(settings, feed, { ...(dryRun ? { dryRun } : {}), prompt }, listener)
    }),
  )

await program.parseAsync()
