import { Type } from '@sinclair/typebox'
import { Option } from 'commander'
import { canonicalJson } from 'wattfeed/provenance'
import { openClient, openEia } from './operator/open.ts'
import { type AttestationSource, openChain, openServer } from './operator/provenance/attestationSource.ts'
import { type ArchivedRows, readArchive } from './operator/provenance/readArchive.ts'
import {
  formatProvenance,
  isConfirmed,
  isRefuted,
  type ProvenanceReport,
  type RowSource,
  runProvenance,
} from './operator/provenance/runProvenance.ts'
import { type CheckSettings, provenanceSettings, readSettings } from './operator/settings.ts'
import { createCommand } from './runtime/createCommand.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'
import { option, parseSecretOption } from './runtime/settings/option.ts'
import { SettingsError } from './runtime/settings/settings.ts'
import { httpUrl } from './runtime/settings/textTypes.ts'
import { createTerminal } from './runtime/terminal.ts'

const help = `
Verdicts:
  match           EIA's row hashes to the attested hash, and scales to the attested amount
  revised         EIA has another value today; the attested value fits the recipe, or a later attestation fits the row
  mismatch        no row of this series can be the source of the attestation
  undecidable     EIA's row differs today, and the hash does not show whether EIA had the attested value
  withdrawn       EIA no longer has a number for this period
  unknown_recipe  neither the feed's description nor the flagship feeds have a recipe to query EIA with

A match proves route, frequency, facets, period, value and unit. It does not prove the column, which is not hashed.

Exit codes:
  0  all checked values match, or were revised since
  1  some values do not
  2  not checked: a setting, the node or server, EIA, or a file is the cause, or the result is undecidable

Settings, from the environment:
${formatSettings(provenanceSettings)}

Examples:
  $ EIA_API_KEY=… bun run provenance EIA.PET.PRICE.WTI.DAILY --all
  $ EIA_API_KEY=… bun run provenance EIA.PET.PRICE.WTI.DAILY --server http://localhost:4030
  $ bun run provenance EIA.PET.PRICE.WTI.DAILY --row archive.db`

const archiveHelp = `
Prints the canonical JSON of each archived source on a line of its own, oldest first. The first 32 hex digits of a
line's SHA-256, without the line break, are its source_hash. --row also reads such lines, even while an agent runs.

Exit codes:
  0  printed
  2  the file cannot be read

Examples:
  $ bun run provenance archive archive.db > archive.jsonl`

const exitCodes = { confirmed: 0, refuted: 1, notChecked: 2 } as const

const terminal = createTerminal('provenance')

interface Options {
  index?: number
  all?: boolean
  row?: string
  server?: string
  json?: boolean
}

export const provenanceCommand = createCommand('provenance')
  .description("Rechecks attested values with EIA: recomputes the source hash from EIA's row.")
  .argument('<id>', 'a feed on chain')
  .addOption(
    new Option('--index <number>', 'index of the value, from 0 (default: the newest)')
      .argParser(option(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })))
      .conflicts('all'),
  )
  .option('--all', 'every value')
  .option('--row <file>', 'use the rows that the agent archived (ARCHIVE_FILE) instead of those of EIA')
  .option('--server <url>', 'read a wattfeed server instead of the chain')
  .option('--json', 'print one JSON object')
  .addHelpText('after', help)
  // A wrong option would exit with 1, which says that a value is refuted.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.confirmed : exitCodes.notChecked))
  .action((feedId: string, { index, all = false, row, server, json }: Options) =>
    terminal.run({ name: 'provenance', json, exitCodeOf: () => exitCodes.notChecked }, async () => {
      const program = { environment: process.env, terminal }
      const settings = readSettings(program, provenanceSettings, row === undefined ? ['EIA_API_KEY'] : [])
      const report = await runProvenance({
        feedId,
        source: await openSource(settings, feedId, server),
        rows: await openRows(settings, row),
        index: all ? 'all' : (index ?? null),
        progress: terminal.progress,
      })
      return { report, text: formatProvenance(report), exitCode: exitCodeOf(report) }
    }),
  )

function exitCodeOf(report: ProvenanceReport): number {
  if (isRefuted(report)) return exitCodes.refuted
  return isConfirmed(report) ? exitCodes.confirmed : exitCodes.notChecked
}

function openSource(settings: CheckSettings, feedId: string, server?: string): Promise<AttestationSource> {
  if (server === undefined) return openChain(openClient(settings), feedId)
  return openServer(parseSecretOption('--server', httpUrl(), server), feedId)
}

async function openRows(settings: CheckSettings, path?: string): Promise<RowSource> {
  if (path !== undefined) return { archive: await readRows(path), path }
  const eia = openEia(settings)
  if (eia === null) throw new SettingsError({ faults: ['EIA_API_KEY is not set'] })
  return { eia }
}

/** Reads an archive, and warns of the lines that are broken. */
async function readRows(path: string): Promise<ArchivedRows> {
  const { rows, brokenLines } = await readArchive(path)
  if (brokenLines.length > 0)
    terminal.warn(
      `${path}: skipped incomplete lines, cut off by a crash or a full disk: ${brokenLines.join(', ')}`,
    )
  return rows
}

provenanceCommand
  .command('archive')
  .description('Prints the rows that an agent archived (ARCHIVE_FILE), as lines of JSON.')
  .argument('<file>', 'the archive')
  .addHelpText('after', archiveHelp)
  .action((path: string) =>
    terminal.run(
      {
        name: 'provenance archive',
        exitCodeOf: () => exitCodes.notChecked,
        leaves: 'not all was printed',
      },
      async () => {
        const rows = await readRows(path)
        const lines = [...rows.values()].map(canonicalJson)
        return { report: lines, text: lines.join('\n') }
      },
    ),
  )

if (import.meta.main) await provenanceCommand.parseAsync()
