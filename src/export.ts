import { Option } from 'commander'
import { type ProvenExportOptions, runProvenExport } from './operator/dataProof/runProvenExport.ts'
import { checkExport, formatCheck, isAsWritten } from './operator/export/checkExport.ts'
import { formatExport } from './operator/export/exportReport.ts'
import { type ExportFormat, exportFormats } from './operator/export/manifest.ts'
import { runExport } from './operator/export/runExport.ts'
import { openClient, openRpc, openVerifiedChain } from './operator/open.ts'
import { exportSettings, readSettings } from './operator/settings.ts'
import { createCommand } from './runtime/createCommand.ts'
import { exitCodes } from './runtime/exitCodes.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'
import { clientOptions, type ReaderSettings } from './runtime/settings/readerSettings.ts'
import { createTerminal } from './runtime/terminal.ts'

interface Options {
  out?: string
  check?: string
  format: ExportFormat
  feeds?: string[]
  since?: string
  proofs?: boolean
  json?: boolean
}

const help = `
Writes feed_id=<id>/part-<index>.parquet and _manifest.json, which names version, state root, registries, and each file
with its rows and SHA-256. All values are of one state root.

After an interruption, the same command resumes. Run again later, it adds new values as further files. A feed is
rewritten if its decimals or frequency have changed, or if one of its files is missing or has changed.

--since with a manifest of another folder excludes the values that it names: --out then contains only newer ones.

--proofs also writes _proofs.jsonl, which proves the data set complete as of one block: all feeds with their metadata,
all values, and all events. It takes one more call per event. "wattfeed verify" checks it offline. With VERIFY=full, it
starts at TRUSTED_BLOCK_HASH, otherwise at the last switch block before its block.

--check compares every file of a folder with its manifest, and lists changed, missing and extra ones. It needs no node
and no settings, and changes nothing.

Exit codes:
  0  exported; with --check, the folder matches its manifest
  1  not exported because of a setting, the node, the folder or the manifest; existing files are unchanged.
     With --check: not checked
  2  with --check: files have changed, are missing, or are not in the manifest

Settings, from the environment:
${formatSettings(exportSettings)}

Examples:
  $ bun run export --out wattfeed-data
  $ bun run export --out prices --format csv --feeds EIA.PET.PRICE.WTI.DAILY EIA.NG.PRICE.HENRYHUB.DAILY
  $ bun run export --out this-week --since wattfeed-data/_manifest.json
  $ bun run export --out proven-data --proofs
  $ bun run export --check wattfeed-data`

const terminal = createTerminal('export')

/** `wattfeed export` */
export const exportCommand = createCommand('export')
  .description('Exports every value that was ever attested as a data set of Parquet or CSV files.')
  .option('--out <dir>', 'output folder; an earlier export in it is updated')
  .addOption(
    new Option(
      '--check <dir>',
      'compare the files of an export with its manifest, instead of exporting',
    ).conflicts(['out', 'format', 'feeds', 'since', 'proofs']),
  )
  .addOption(new Option('--format <format>', 'of the files').choices(exportFormats).default('parquet'))
  .option('--feeds <id...>', 'these feeds only (default: those of an earlier export, or all)')
  .option('--since <manifest>', 'exclude the values that this manifest names')
  .addOption(
    new Option('--proofs', 'write a file that proves the data set complete').conflicts(['feeds', 'since']),
  )
  .option('--json', 'print one JSON object')
  .addHelpText('after', help)
  .action((options: Options) => {
    const { out, check, json } = options
    if (check !== undefined)
      return terminal.run({ name: 'export', json, leaves: 'nothing was changed' }, () => runCheck(check))
    if (out === undefined) return exportCommand.error("error: required option '--out <dir>' not specified")
    const leaves = 'the same command resumes'
    return terminal.run({ name: 'export', json, leaves }, () => runTo(out, options))
  })

async function runTo(out: string, { format, feeds, since, proofs = false }: Options) {
  const settings = readSettings({ environment: process.env, terminal }, exportSettings)
  const { progress, milestone } = terminal
  const common = { ...clientOptions(settings), out, format, progress, milestone }
  const report = proofs
    ? await exportProven(settings, common)
    : await runExport({ ...common, client: openClient(settings), feeds: feeds ?? null, since: since ?? null })
  return { report, text: formatExport(report) }
}

function exportProven(
  settings: ReaderSettings,
  options: Omit<ProvenExportOptions, 'rpc' | 'chain' | 'level'>,
) {
  const rpc = openRpc(settings)
  const chain = openVerifiedChain(settings, rpc)
  return runProvenExport({ ...options, rpc, chain, level: settings.verify })
}

async function runCheck(folder: string) {
  const report = await checkExport({ folder, progress: terminal.progress })
  const exitCode = isAsWritten(report) ? exitCodes.done : exitCodes.someFailed
  return { report, text: formatCheck(report), exitCode }
}

if (import.meta.main) await exportCommand.parseAsync()
