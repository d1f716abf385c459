import { DatasetError, datasetFeedId, formatDatasetRecipe, type Manifest } from '@wattfeed/dataset'
import { checkSnapshot, type OnBundle, writeTableIndex } from '@wattfeed/dataset/disk'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { SettingsError } from '../../runtime/settings/settings.ts'
import { openClient } from '../open.ts'
import { plural } from '../plural.ts'
import type { JsonOption, Program } from '../program.ts'
import { datasetsSettings, readSettings } from '../settings.ts'
import { findOnChain, MAX_OLDER, type RootOnChain } from './rootOnChain.ts'
import { filesAt, isUrl } from './snapshotPlace.ts'

const help = `
Recomputes the tree from all values: their form and order, tiles, bundles, index, root, size, newest period and codes. A proof
that a series or a period is absent relies on that order. The index of tables is checked, too.

Then looks for root and size on chain, in the newest value of the dataset's feed and in the ${MAX_OLDER} before it. The table
series.parquet is not checked.

With --index, it writes the index of tables, which a snapshot of an older version lacks. Then a server can answer with tables.

Examples:
  $ bun run datasets check datasets/eia.dataset.petroleum.pri.spt.daily/<root>
  $ bun run datasets check datasets/eia.dataset.petroleum.pri.spt.daily/<root> --index --offline
  $ bun run datasets check https://example.org/datasets/eia.dataset.petroleum.pri.spt.daily/<root> --offline`

interface Options extends JsonOption {
  offline?: boolean
  index?: boolean
}

/** The result of a check; `chain` is null with `--offline`. */
interface Checked {
  readonly manifest: Manifest
  readonly chain: (RootOnChain & { readonly chain_name: string }) | null
}

export function addCheck(program: Program): void {
  const { terminal } = program
  program
    .add('check', 'recompute a snapshot from its files, and compare its root with the chain', help)
    .argument('<folder>', 'the folder of a snapshot, or its URL')
    .option('--offline', 'do not look for the root on chain')
    .option('--index', 'write the index of tables if the rest is whole')
    .action((folder: string, { json, offline = false, index = false }: Options) =>
      terminal.run({ name: 'check', json, exitCodeOf, leaves: 'nothing was changed' }, async () => {
        const settings = readSettings(program, datasetsSettings)
        const tell: OnBundle = (values, size) =>
          terminal.progress(`${values} of ${plural(size, 'value')} checked`)
        const manifest = index ? await writeIndex(folder, tell) : await checkSnapshot(filesAt(folder), tell)
        const found = offline ? null : await findOnChain(openClient(settings), manifest)
        const chain = found === null ? null : { chain_name: settings.casperChainName, ...found }
        const isDone = chain === null || chain.index !== null
        return {
          report: reportOf({ manifest, chain }),
          text: formatCheck({ manifest, chain }),
          exitCode: isDone ? exitCodes.done : exitCodes.someFailed,
        }
      }),
    )
}

/** A file that breaks the specification is a result, not a failure of the command. */
const exitCodeOf = (error: unknown): number =>
  error instanceof DatasetError ? exitCodes.someFailed : exitCodes.notRun

/** @throws {SettingsError} for a URL. */
function writeIndex(folder: string, tell: OnBundle): Promise<Manifest> {
  if (isUrl(folder)) throw new SettingsError({ faults: ['--index needs a folder, not a URL'] })
  return writeTableIndex(folder, tell)
}

const reportOf = ({ manifest, chain }: Checked) => ({
  command: 'check',
  feed_id: datasetFeedId(manifest.route, manifest.frequency),
  route: manifest.route,
  frequency: manifest.frequency,
  columns: manifest.columns,
  periods: manifest.periods,
  root: manifest.root,
  size: manifest.size,
  newest_period: manifest.newestPeriod,
  retrieved_at: manifest.retrievedAt,
  chain,
})

function formatCheck({ manifest, chain }: Checked): string {
  const { route, frequency, root, size, newestPeriod } = manifest
  const facts = [
    ['feed id', datasetFeedId(route, frequency)],
    ['root', root],
    ['values', String(size)],
    ['newest period', newestPeriod],
  ]
  return formatTable([
    ...facts,
    ['files', 'whole'],
    ...(chain === null ? [] : [['chain', describe(chain, formatDatasetRecipe(manifest))]]),
  ])
}

function describe(chain: NonNullable<Checked['chain']>, own: string): string {
  const { chain_name, is_registered, recipe, count, index, newer, attested_at, searched } = chain
  if (!is_registered) return `the feed is not registered on ${chain_name}`
  const others = `the newest ${searched} of ${plural(count, 'value')} on ${chain_name}`
  if (index === null)
    return recipe === null || recipe === own
      ? `the root is not among ${others}`
      : `the root is not among ${others}, whose recipe is ${recipe}; that of this snapshot is ${own}`
  const time = new Date(attested_at ?? 0).toISOString()
  const place = newer === 0 ? 'the newest' : `${plural(newer ?? 0, 'value')} newer`
  return `attested on ${chain_name} at index ${index}, ${time}: ${place}`
}
