import { formatSeries } from '@wattfeed/dataset'
import {
  createSeriesProof,
  type DatasetSeries,
  getSeries,
  type Series,
  type UnknownCode,
} from 'wattfeed/series'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { openClient } from '../open.ts'
import type { Program } from '../program.ts'
import { exportSettings, readSettings } from '../settings.ts'
import { noRoot } from './noRoot.ts'
import {
  addSeriesOptions,
  assertProvable,
  openFiles,
  rootOptions,
  runQuery,
  type SeriesCommandOptions,
  seriesOf,
  writeProof,
} from './seriesCommand.ts'

const help = `
The root is read from the chain, and the value from files, which are checked against the root. No server of wattfeed is needed.

Examples:
  $ bun run series value electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=CA --facet sectorid=COM --files .wattfeed/datasets
  $ bun run series value electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=CA --facet sectorid=COM --files https://example.org/datasets --as-of 2026-10-31
  $ bun run series value electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=CA --facet sectorid=COM --files .wattfeed/datasets --proof price.json --trust <block hash>`

interface Options extends SeriesCommandOptions {
  period?: string
}

export function addValue(program: Program): void {
  addSeriesOptions(program.add('value', 'read a value of a series', help))
    .option('--period <period>', 'EIA’s text of the period (default: the newest)')
    .action((route: string, options: Options) =>
      runQuery(program, { name: 'value', json: options.json }, async () => {
        assertProvable(options)
        const client = openClient(readSettings(program, exportSettings))
        const series = seriesOf(route, options)
        const query = { ...series, period: options.period ?? null }
        const files = openFiles(options.files, series)
        const found = await getSeries(client, { ...query, ...rootOptions(options) }, { files })
        if (found === null) throw noRoot(series)
        const { root_index: index, index: leaf_index, ...facts } = found
        await writeProof(
          { ...facts, index },
          { client, files, options, prove: (parts) => createSeriesProof({ ...parts, query }) },
        )
        // The names of `/v1/series`.
        const report = { command: 'value', series, ...facts, leaf_index, index, proof: options.proof ?? null }
        const exitCode = isThere(found) ? exitCodes.done : exitCodes.someFailed
        return { report, text: formatValue(series, found), exitCode }
      }),
    )
}

const isThere = ({ statement }: Series): boolean => statement === 'value' || statement === 'newest'

const absences = {
  no_period: 'the series has no value for this period',
  no_series: 'the dataset has no value of this series',
}

function formatValue(series: DatasetSeries, found: Series): string {
  const { statement, unknown_code: code } = found
  const facts =
    statement === 'no_period' || statement === 'no_series'
      ? [['absent', absences[statement]]]
      : [
          ['period', found.period ?? ''],
          ['value', `${found.value ?? 'withheld'}${found.unit === null ? '' : ` ${found.unit}`}`],
        ]
  return formatTable([
    ['series', formatSeries(series)],
    ...facts,
    ...(code === null ? [] : [hintOf(code)]),
    ...rootFacts({ ...found, index: found.root_index }),
  ])
}

function hintOf({ facet, code, nearest }: UnknownCode): string[] {
  if (nearest !== null) return ['did you mean', `${facet}=${nearest}`]
  return ['unknown', code === null ? `it has no rows without ${facet}` : `it has no ${facet}=${code}`]
}

/** The lines about the root that answers. */
export const rootFacts = (
  found: Pick<Series, 'size' | 'root' | 'attested_at' | 'is_newest_root'> & { readonly index: number },
): string[][] => [
  ['root', `${found.root} (of ${found.size} values)`],
  [
    'attested',
    `${new Date(found.attested_at).toISOString()}, index ${found.index}${found.is_newest_root ? '' : ': there is a newer root'}`,
  ],
]
