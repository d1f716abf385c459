import { Option } from 'commander'
import { agentSecrets, agentSettings, readAgentSettings } from './agent/settings/agentSettings.ts'
import { type ExportFormat, exportFormats } from './operator/export/manifest.ts'
import { formatExport, runExport } from './operator/export/runExport.ts'
import { openClient } from './operator/feeds/commands/command.ts'
import { callSettings, chainSettings } from './runtime/chainSettings.ts'
import { createCommand, option } from './runtime/commanderOption.ts'
import { formatSettings } from './runtime/formatSettings.ts'
import { similarNames } from './runtime/misspelt.ts'
import { path } from './runtime/parsers.ts'
import { createTerminal } from './runtime/terminal.ts'

interface Options {
  out: string
  format: ExportFormat
  feeds?: string[]
  since?: string
  json?: boolean
}

const { verify, trustedBlockHash, maxHeadAgeMs, checkpoint } = agentSettings
const { timeoutMs, concurrency } = callSettings
const shownSettings = {
  ...chainSettings,
  timeoutMs,
  concurrency,
  verify,
  trustedBlockHash,
  maxHeadAgeMs,
  checkpoint,
}

const help = `
Writes feed_id=<id>/part-<index>.parquet and _manifest.json, which names version, state root, registries, and each file
with its rows and SHA-256. All values are of one state root. Stopped at any point, the same command continues; run
again later, it adds what is new as further files. A feed whose decimals or frequency have changed is written anew.

--since with a manifest of another folder leaves out the values that it names: --out then holds the newer ones alone.

Exit codes:
  0  exported
  1  not exported: a setting, the node, the folder or the manifest stands in the way; what was there is unchanged

Settings, from the environment:
${formatSettings(shownSettings)}

Examples:
  $ bun run export --out wattfeed-data
  $ bun run export --out prices --format csv --feeds EIA.PET.PRICE.WTI.DAILY EIA.NG.PRICE.HENRYHUB.DAILY
  $ bun run export --out this-week --since wattfeed-data/_manifest.json`

const terminal = createTerminal('export')

/** `wattfeed export` */
export const exportCommand = createCommand('export')
  .description('Exports every value that was ever attested as a data set of Parquet or CSV files.')
  .requiredOption(
    '--out <dir>',
    'where to write; an earlier export there is brought up to date',
    option(path),
  )
  .addOption(new Option('--format <format>', 'of the files').choices(exportFormats).default('parquet'))
  .option('--feeds <id...>', 'these feeds only (default: those of an earlier export, or all)')
  .option('--since <manifest>', 'leave out the values that this manifest names', option(path))
  .option('--json', 'print one JSON object')
  .addHelpText('after', help)
  .action(({ out, format, feeds, since, json }: Options) =>
    terminal.run({ name: 'export', json, leaves: 'the same command goes on from here' }, async () => {
      const settings = readAgentSettings(process.env, { writes: false, fetches: false })
      terminal.hide(agentSecrets(settings))
      for (const message of similarNames(process.env, Object.values(agentSettings))) terminal.warn(message)
      const { progress, milestone } = terminal
      const client = openClient(settings)
      const report = await runExport({
        ...settings,
        client,
        out,
        format,
        feeds: feeds ?? null,
        since: since ?? null,
        progress,
        milestone,
      })
      return { report, text: formatExport(report) }
    }),
  )

if (import.meta.main) await exportCommand.parseAsync()
