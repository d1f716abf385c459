import { Type } from '@sinclair/typebox'
import { formatSeries, type Leaf } from '@wattfeed/dataset'
import { Option } from 'commander'
import type { Client } from 'wattfeed'
import {
  createRangeProof,
  getSeriesRange,
  type SeriesPage,
  type SeriesRangeRequest,
  type SnapshotFiles,
} from 'wattfeed/series'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { option } from '../../runtime/settings/option.ts'
import { formatCsv } from '../../tables/csv.ts'
import { leafColumns, leafRow } from '../../tables/leafColumns.ts'
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
import { rootFacts } from './value.ts'

const help = `
All values are by one root. They are checked against it, and so is that none is missing, if the attester had sorted the values. A
proof has at most 5,000 values: narrow a longer range with --from, --to or --last.

Examples:
  $ bun run series history electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=CA --facet sectorid=COM --files .wattfeed/datasets --from 2024-01
  $ bun run series history electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=CA --facet sectorid=COM --files .wattfeed/datasets --as-of 2026-10-31 --csv > prices.csv`

interface Options extends SeriesCommandOptions {
  from?: string
  to?: string
  last?: number
  csv?: boolean
}

/** Maximum number of values of a page, and of a proof. */
const MAX_VALUES = 5_000

export function addHistory(program: Program): void {
  addSeriesOptions(program.add('history', 'read all values of a series, or those of some periods', help))
    .option('--from <period>', 'EIA’s text of the first period (default: no bound)')
    .option('--to <period>', 'EIA’s text of the last period (default: no bound)')
    .addOption(
      new Option('--last <count>', 'only so many of the newest periods').argParser(
        option(Type.Integer({ minimum: 1, maximum: MAX_VALUES })),
      ),
    )
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .action((route: string, options: Options) =>
      runQuery(program, { name: 'history', json: options.json }, async () => {
        assertProvable(options)
        const client = openClient(readSettings(program, exportSettings))
        const series = seriesOf(route, options)
        const files = openFiles(options.files, series)
        const { last = null, from = null, to = null } = options
        const order = last === null ? ('asc' as const) : ('desc' as const)
        const range = { ...series, period_from: from, period_to: to, order }
        const request = { ...range, limit: last ?? MAX_VALUES, ...rootOptions(options) }
        const found = await readAll(client, request, { files, isWhole: last === null })
        if (found === null) throw noRoot(series)
        await writeProof(found, {
          client,
          files,
          options,
          prove: (parts) => createRangeProof({ ...parts, range: { ...range, limit: last } }),
        })
        const { next: _, ...page } = found
        const items = order === 'asc' ? page.items : page.items.toReversed()
        const report = { command: 'history', series, ...page, items, proof: options.proof ?? null }
        const text = options.csv ? formatItems(series, items) : formatHistory(series, { ...page, items })
        return { report, text, exitCode: items.length === 0 ? exitCodes.someFailed : exitCodes.done }
      }),
    )
}

type History = Omit<SeriesPage, 'next'>

/** Reads a range: its pages, which are by the root of the first, or only that one. */
async function readAll(
  client: Client,
  request: SeriesRangeRequest,
  { files, isWhole }: { files: SnapshotFiles; isWhole: boolean },
): Promise<SeriesPage | null> {
  const first = await getSeriesRange(client, request, { files })
  if (first === null) return null
  const items = [...first.items]
  let { next } = first
  while (isWhole && next !== null) {
    const page = await getSeriesRange(client, next, { files })
    items.push(...(page?.items ?? []))
    next = page?.next ?? null
  }
  return { ...first, items }
}

type Item = Pick<Leaf, 'period' | 'value' | 'unit'>

/** Formats the columns of `series.parquet`, without the last line break. */
const formatItems = (series: Pick<Leaf, 'column' | 'facets'>, items: readonly Item[]): string =>
  formatCsv(
    leafColumns(Object.keys(series.facets)),
    items.map((item) => leafRow({ column: series.column, facets: series.facets, ...item })),
  ).trimEnd()

function formatHistory(series: Parameters<typeof formatSeries>[0], found: History): string {
  const facts = formatTable([['series', formatSeries(series)], ...rootFacts(found)])
  const { items } = found
  if (items.length === 0) return `${facts}\n\nno value in this range`
  const rows = items.map(({ period, value, unit }) => [period, value ?? 'withheld', unit ?? ''])
  return `${facts}\n\n${formatTable(rows)}`
}
