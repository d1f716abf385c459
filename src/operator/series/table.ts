import { Type } from '@sinclair/typebox'
import { Option } from 'commander'
import { type DatasetTable, openDatasetTable, type TablePage, type TableQuery } from 'wattfeed/series'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { option } from '../../runtime/settings/option.ts'
import { formatCsv } from '../../tables/csv.ts'
import { indexedColumns, indexedRow } from '../../tables/leafColumns.ts'
import { formatParquet } from '../../tables/parquet.ts'
import { openClient } from '../open.ts'
import { parseFacet } from '../parseFacet.ts'
import type { Program } from '../program.ts'
import { exportSettings, readSettings } from '../settings.ts'
import { noRoot } from './noRoot.ts'
import {
  addDatasetOptions,
  type DatasetCommandOptions,
  openFiles,
  rootOptions,
  runQuery,
  writeOut,
} from './seriesCommand.ts'
import { rootFacts } from './value.ts'

const help = `
All rows are by one root, and each is checked against it. A facet that is left out may have any code. "complete" says whether the leaves
beside the rows show that there are no others: "series value" proves a row by itself.

The files must be in a local folder, with the index of tables, which "datasets check <folder> --index" writes for older snapshots.

Examples:
  $ bun run series table electricity/retail-sales --frequency monthly --column price \\
    --facet stateid=CA --facet stateid=NY --from 2024-01 --files .wattfeed/datasets
  $ bun run series table electricity/retail-sales --frequency monthly --sort period --limit 100 \\
    --files .wattfeed/datasets --as-of 2026-10-31 --csv > oldest.csv
  $ bun run series table electricity/retail-sales --frequency monthly --files .wattfeed/datasets --parquet all.parquet`

interface Options extends DatasetCommandOptions {
  column?: string[]
  facet: Codes
  from?: string
  to?: string
  sort: string[]
  offset: number
  limit: number
  csv?: boolean
  parquet?: string
}

type Codes = Readonly<Record<string, readonly (string | null)[]>>

/** Maximum number of rows of a page of the library, which are in memory at once. */
const MAX_ROWS = 100_000

export function addTable(program: Program): void {
  addTableOptions(program.add('table', 'read rows of many series of a dataset', help)).action(
    (route: string, options: Options) =>
      runQuery(program, { name: 'table', json: options.json }, async () => {
        const dataset = { route, frequency: options.frequency }
        const client = openClient(readSettings(program, exportSettings))
        const files = openFiles(options.files, dataset)
        const table = await openDatasetTable(client, { ...dataset, ...rootOptions(options) }, { files })
        if (table === null) throw noRoot(dataset)
        const page = await table.read(queryOf(options))
        const found = { ...dataset, ...table, ...page, offset: options.offset }
        const { parquet = null } = options
        if (parquet !== null) await writeOut(parquet, await encodeParquet(found))
        if (options.csv || parquet !== null) warnOfMore(found, program)
        const { read: _, rows, ...facts } = found
        // The names of `/v1/series/table`.
        const named = rows.map(({ index: leaf_index, ...row }) => ({ ...row, leaf_index }))
        const report = { command: 'table', ...facts, rows: named, parquet }
        const text = options.csv ? encodeCsv(found) : formatFound(found, parquet)
        return { report, text, exitCode: page.rows.length === 0 ? exitCodes.someFailed : exitCodes.done }
      }),
  )
}

const addTableOptions = (command: ReturnType<Program['add']>) =>
  addDatasetOptions(command)
    .option('--column <column>', 'a column; repeat it for several (default: all)', append)
    .addOption(
      new Option(
        '--facet <id=value>',
        'a code of a facet; repeat it for several codes and facets, with an empty value for rows without one',
      )
        .argParser(addCode)
        .default({}, 'all'),
    )
    .option('--from <period>', 'EIA’s text of the first period (default: no bound)')
    .option('--to <period>', 'EIA’s text of the last period (default: no bound)')
    .addOption(
      new Option(
        '--sort <key>',
        'order by period, column or a facet, descending as --sort=-period; repeat it for more',
      )
        .argParser(append)
        .default([], 'column, facets, period'),
    )
    .addOption(
      new Option('--offset <count>', 'leave out so many rows before the first')
        .argParser(option(Type.Integer({ minimum: 0 })))
        .default(0),
    )
    .addOption(
      new Option('--limit <count>', 'at most so many rows')
        .argParser(option(Type.Integer({ minimum: 1, maximum: MAX_ROWS })))
        .default(MAX_ROWS),
    )
    .addOption(new Option('--csv', 'print CSV').conflicts(['json', 'parquet']))
    .option('--parquet <file>', 'write the rows to a Parquet file')

const append = (text: string, texts: readonly string[] = []): string[] => [...texts, text]

function addCode(text: string, codes: Codes): Codes {
  const [[id = '', code = ''] = []] = Object.entries(parseFacet(text, {}, { allowsEmpty: true }))
  return { ...codes, [id]: [...(codes[id] ?? []), code === '' ? null : code] }
}

const queryOf = ({ column, facet, from, to, sort, offset, limit }: Options): TableQuery => ({
  ...{ columns: column ?? null, facets: facet, period_from: from ?? null, period_to: to ?? null },
  ...{ sort, offset, limit },
})

interface Found extends DatasetTable, TablePage {
  readonly route: string
  readonly frequency: string
  readonly offset: number
}

const encodeCsv = ({ facets, rows }: Found): string =>
  formatCsv(indexedColumns(facets), rows.map(indexedRow)).trimEnd()

const encodeParquet = ({ facets, rows }: Found): Promise<Uint8Array> =>
  formatParquet(indexedColumns(facets), rows.map(indexedRow))

/** A file does not say that it lacks rows. */
function warnOfMore({ offset, rows, total }: Found, { terminal }: Program): void {
  const end = offset + rows.length
  if (rows.length > 0 && end < total)
    terminal.warn(`${describeRows(offset, end, total)}; --offset ${end} has the next`)
}

const describeRows = (offset: number, end: number, total: number): string =>
  `rows ${offset + 1} to ${end} of ${total}`

function formatFound(found: Found, parquet: string | null): string {
  const { route, frequency, offset, rows, total, complete, facets } = found
  const facts = formatTable([
    ['dataset', `${route} ${frequency}`],
    ...rootFacts(found),
    ['rows', rows.length === 0 ? `none of ${total}` : describeRows(offset, offset + rows.length, total)],
    ['complete', complete ? 'the leaves beside the rows show it' : 'nothing shows it'],
    ...(parquet === null ? [] : [['written', parquet]]),
  ])
  if (rows.length === 0 || parquet !== null) return facts
  const head = ['column', ...facets, 'period', 'value', 'unit']
  const lines = rows.map(({ column, facets: codes, period, value, unit }) => [
    ...[column, ...facets.map((id) => codes[id] ?? ''), period, value ?? 'withheld', unit ?? ''],
  ])
  return `${facts}\n\n${formatTable([head, ...lines])}`
}
