import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { nearestName } from '@wattfeed/base'
import { datasetFeedId, formatDatasetRecipe } from '@wattfeed/dataset'
import type { Dataset } from '@wattfeed/eia/catalog'
import { Option } from 'commander'
import { takeSnapshot } from '../../agent/datasets/takeSnapshot.ts'
import type { TakenSnapshot } from '../../agent/datasets/writeSnapshot.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { option } from '../../runtime/settings/option.ts'
import { SettingsError } from '../../runtime/settings/settings.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { knownDataset, NotInCatalogError } from '../feeds/catalog.ts'
import { openEia } from '../open.ts'
import type { JsonOption, Program } from '../program.ts'
import { type CheckSettings, datasetsSettings, readSettings } from '../settings.ts'
import { watchSnapshot } from '../watchSnapshot.ts'

const help = `
Reads all pages of a dataset from EIA, and writes the snapshot to a folder that has its root as its name. It takes a request
for 5,000 rows, and up to 12 more to check that EIA has not changed them. If it has, all is read again.

After an interruption, the same command resumes within an hour, unless EIA has planned a release since.

A snapshot that is there already stays as it is. If one of its files is missing or damaged, it is written again.

Periods are counted by the calendar, back from the newest of any series: --periods 7 of daily data are a week.

Examples:
  $ EIA_API_KEY=… bun run datasets snapshot petroleum/pri/spt --frequency daily --periods 30
  $ EIA_API_KEY=… bun run datasets snapshot electricity/retail-sales --frequency monthly --columns price,sales`

interface Options extends JsonOption {
  frequency: string
  columns?: string[]
  periods?: number
  out?: string
  keep: number
}

const count = (maximum: number) => option(Type.Integer({ minimum: 1, maximum }))

export function addSnapshot(program: Program): void {
  program
    .add('snapshot', 'read a whole dataset from EIA, and write its snapshot', help)
    .argument('<route>', 'a dataset of the catalog')
    .requiredOption('--frequency <frequency>', 'one of its frequencies')
    .option('--columns <ids>', 'some of its columns, with commas between them (default: all)', (ids) => [
      ...new Set(ids.split(',')),
    ])
    .addOption(
      new Option('--periods <count>', 'how many of the newest periods (default: all)').argParser(
        count(1_000_000),
      ),
    )
    .option('--out <dir>', 'folder of its snapshots (default: datasets/<feed id in lower case>)')
    .addOption(
      new Option('--keep <count>', 'how many of its snapshots stay there').argParser(count(1_000)).default(2),
    )
    .action((route: string, options: Options) =>
      program.terminal.run(
        { name: 'snapshot', json: options.json, leaves: 'the same command resumes' },
        async () => {
          const settings = readSettings(program, datasetsSettings, ['EIA_API_KEY'])
          const taken = await takeFrom(settings, route, options, program.terminal)
          return { report: reportOf(taken), text: formatSnapshot(taken) }
        },
      ),
    )
}

function takeFrom(
  settings: CheckSettings,
  route: string,
  { frequency, columns, periods, out, keep }: Options,
  terminal: Terminal,
): Promise<TakenSnapshot> {
  const dataset = knownDataset(route)
  assertKnown(dataset, 'frequency', 'frequencies', [frequency])
  assertKnown(dataset, 'column', 'columns', columns ?? [])
  const eia = openEia(settings)
  if (eia === null) throw new SettingsError({ faults: ['EIA_API_KEY is not set'] })
  return takeSnapshot({
    eia,
    dataset: { route, frequency, columns: columns ?? dataset.columns, periods: periods ?? null },
    facets: dataset.facets,
    out: out ?? join('datasets', datasetFeedId(route, frequency).toLowerCase()),
    keep,
    now: Date.now,
    onProgress: watchSnapshot(terminal, () => performance.now()),
  })
}

/** @throws {NotInCatalogError} for the first id that the dataset does not have; it names the nearest. */
function assertKnown(
  dataset: Dataset,
  what: string,
  list: 'frequencies' | 'columns',
  ids: readonly string[],
): void {
  const known = dataset[list]
  const unknown = ids.find((id) => !known.includes(id))
  if (unknown === undefined) return
  throw new NotInCatalogError(
    `${dataset.route} has no ${what} ${unknown}; did you mean ${nearestName(unknown, known)}? It has ${known.join(', ')}`,
  )
}

const reportOf = ({ manifest, folder, isNew }: TakenSnapshot) => ({
  command: 'snapshot',
  feed_id: datasetFeedId(manifest.route, manifest.frequency),
  route: manifest.route,
  frequency: manifest.frequency,
  columns: manifest.columns,
  facets: manifest.facets,
  periods: manifest.periods,
  root: manifest.root,
  size: manifest.size,
  newest_period: manifest.newestPeriod,
  retrieved_at: manifest.retrievedAt,
  folder,
  is_new: isNew,
  recipe: formatDatasetRecipe(manifest),
})

function formatSnapshot({ manifest, folder, isNew }: TakenSnapshot): string {
  const { route, frequency, root, size, newestPeriod } = manifest
  return formatTable([
    ['feed id', datasetFeedId(route, frequency)],
    ['root', root],
    ['values', String(size)],
    ['newest period', newestPeriod],
    ['folder', isNew ? folder : `${folder} (there already: nothing has changed)`],
    ['recipe', formatDatasetRecipe(manifest)],
  ])
}
