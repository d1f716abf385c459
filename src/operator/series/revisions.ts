import { Type } from '@sinclair/typebox'
import {
  datasetRootOf,
  filesBelow,
  formatSeries,
  openSnapshot,
  readSeries,
  type SeriesAnswer,
  type SeriesQuery,
  type SnapshotFiles,
} from '@wattfeed/dataset'
import { Option } from 'commander'
import type { Client } from 'wattfeed'
import {
  assertSeries,
  type IndexedReading,
  listRoots,
  type Revision,
  readNewestRoot,
  revisionOf,
} from 'wattfeed/internal'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { option } from '../../runtime/settings/option.ts'
import { openClient } from '../open.ts'
import type { Program } from '../program.ts'
import { exportSettings, readSettings } from '../settings.ts'
import { noRoot } from './noRoot.ts'
import {
  addKeyOptions,
  addPlaceOptions,
  type DatasetCommandOptions,
  type KeyOptions,
  openFiles,
  runQuery,
  seriesOf,
} from './seriesCommand.ts'

const help = `
Each root is read from the chain, and the value from its files, which are checked against it. A root whose files are not there is gone.
One that was made without the column or with other facets says not_covered. "series value --as-of <time> --proof" proves one of them.

Example:
  $ bun run series revisions electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=CA --facet sectorid=COM --period 2026-08 --files .wattfeed/datasets`

interface Options extends Omit<DatasetCommandOptions, 'asOf'>, KeyOptions {
  period: string
  last?: number
}

export function addRevisions(program: Program): void {
  const command = program.add('revisions', 'list what each root says of a value', help)
  addKeyOptions(addPlaceOptions(command))
    .requiredOption('--period <period>', 'EIA’s text of the period')
    .addOption(
      new Option('--last <count>', 'only so many of the newest attestations (default: all)').argParser(
        option(Type.Integer({ minimum: 1 })),
      ),
    )
    .action((route: string, options: Options) =>
      runQuery(program, { name: 'revisions', json: options.json }, async () => {
        const client = openClient(readSettings(program, exportSettings))
        const { period, last } = options
        const series = { ...seriesOf(route, options), period }
        const files = openFiles(options.files, series)
        const found = await readRevisions(client, series, { files, last })
        if (found === null) throw noRoot(series)
        const report = { command: 'revisions', series, ...found }
        const hasValue = found.items.some(({ statement }) => statement === 'value')
        const exitCode = hasValue ? exitCodes.done : exitCodes.someFailed
        return { report, text: formatRevisions(series, found), exitCode }
      }),
    )
}

type Revisions = NonNullable<Awaited<ReturnType<typeof readRevisions>>>

/** Reads what each root says, in the order of attestation; null if there is none. */
function readRevisions(
  client: Client,
  series: SeriesQuery,
  { files, last }: { files: SnapshotFiles; last: number | undefined },
) {
  return client.withSnapshot(async (at) => {
    const newest = await readNewestRoot(at, series)
    if (newest === null) return null
    assertSeries(series, newest)
    const count = await at.getValueCount(newest.feed_id)
    const from = Math.max(0, count - (last ?? count))
    const items: Revision[] = []
    // One after the other, because each snapshot takes memory while it is read.
    for (const root of await listRoots(at, newest, { from, to: count }))
      items.push(revisionOf(root, await readRoot(root, series, files)))
    return { feed_id: newest.feed_id, count, items }
  })
}

/** Reads what a root says; null if its files are not there. */
async function readRoot(
  { reading }: IndexedReading,
  series: SeriesQuery,
  files: SnapshotFiles,
): Promise<SeriesAnswer | null> {
  const snapshot = await openSnapshot(filesBelow(files, reading.source_hash))
  return snapshot && readSeries(snapshot, series, datasetRootOf(reading, series))
}

function formatRevisions(series: SeriesQuery, { count, items }: Revisions): string {
  const facts = formatTable([
    ['series', formatSeries(series)],
    ['period', series.period ?? ''],
    ['roots', `${items.length}, of ${count} attestations`],
  ])
  const rows = items.map(({ index, attested_at, statement, value, unit, root }) => [
    ...[String(index), new Date(attested_at).toISOString()],
    ...[statement === 'value' ? (value ?? 'withheld') : statement, unit ?? '', root],
  ])
  return `${facts}\n\n${formatTable([['index', 'attested', 'value', 'unit', 'root'], ...rows])}`
}
