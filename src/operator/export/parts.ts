import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { AsyncBuffer } from 'hyparquet'
import type { Attestation, Feed } from 'wattfeed'
import type { HistoryItem } from 'wattfeed/history'
import { type createRevisionCounter, itemOf, type Print } from 'wattfeed/internal'
import { partColumns } from '../../tables/columns.ts'
import { formatCsv } from '../../tables/csv.ts'
import { formatParquet } from '../../tables/parquet.ts'
import { hasSize } from './isIntact.ts'
import { type DataFile, DataSetError, type ExportFormat } from './manifest.ts'

/** Rows of a file at most: 8 MB of CSV. */
export const MAX_ROWS = 20_000

/** Returns attestations from an index on as rows. The counter has seen those before. */
export const itemsOf = (
  values: readonly Attestation[],
  from: number,
  revisionOf: ReturnType<typeof createRevisionCounter>,
  feed: Pick<Feed, 'decimals' | 'route' | 'frequency'>,
): HistoryItem[] =>
  values.map((value, offset) => itemOf({ ...value, index: from + offset, revision: revisionOf(value) }, feed))

/** The CSV library needs many times the memory of its output. */
const CSV_ROWS = 1_000

export async function formatPart(format: ExportFormat, rows: readonly HistoryItem[]): Promise<Uint8Array> {
  if (format === 'parquet') return formatParquet(partColumns, rows)
  const texts: Buffer[] = []
  for (let from = 0; from < rows.length; from += CSV_ROWS) {
    const text = formatCsv(partColumns, rows.slice(from, from + CSV_ROWS), { header: from === 0 })
    texts.push(Buffer.from(text))
  }
  return Buffer.concat(texts)
}

/**
 * Finds the first row of a file that differs from the expected rows; null if there is none. Another version of the library may
 * write other bytes for the same rows.
 */
export async function findDifference(
  format: ExportFormat,
  content: Uint8Array,
  rows: readonly HistoryItem[],
): Promise<number | null> {
  const expected = await formatPart(format, rows)
  if (Buffer.compare(content, expected) === 0) return null
  const [found, wanted] = await Promise.all(
    [content, expected].map((bytes) => (format === 'csv' ? csvRows(bytes) : parquetRows(bytes))),
  )
  const length = Math.max(found?.length ?? 0, wanted?.length ?? 0)
  for (let index = 0; index < length; index++)
    if (!isDeepStrictEqual(found?.[index], wanted?.[index])) return index
  // Equal rows in other bytes: those of CSV can only differ in its header.
  return format === 'csv' ? 0 : null
}

/** Splits a file into its lines without the header; the last one is empty. */
const csvRows = (content: Uint8Array): string[] => Buffer.from(content).toString().split('\r\n').slice(1)

/** Reads some columns, or all. */
async function parquetRows(content: Uint8Array, columns?: string[]) {
  const { parquetReadObjects } = await import('hyparquet')
  // The file is in memory.
  const file: AsyncBuffer = {
    byteLength: content.length,
    slice: (start, end) => new Uint8Array(content.slice(start, end)).buffer,
  }
  return parquetReadObjects({ file, ...(columns && { columns }) })
}

export interface LocalFile {
  /** Its current path, which differs from its final one while it is staged. */
  readonly location: string
  readonly file: DataFile
}

/**
 * Reads the columns of a file that counting revisions needs. Null if the file is missing, or if it lacks a period,
 * which exceeds 64 bits.
 *
 * @throws {DataSetError} if it is not the file that was written.
 */
export async function readPrints({ location, file }: LocalFile): Promise<Print[] | null> {
  if (!(await hasSize(location, file.bytes))) return null
  const content = await readFile(location)
  if (hash('sha256', content) !== file.sha256)
    throw new DataSetError({
      path: location,
      rule: 'was changed after the export; remove it to have its feed exported again',
    })
  const cells = file.path.endsWith('.csv') ? csvPrints(content) : await parquetPrints(content)
  if (cells.some(([period]) => period === null)) return null
  return cells.map(([period, amount, source_hash]) => ({
    period: Number(period),
    amount: BigInt(amount),
    source_hash: source_hash ?? '',
  }))
}

/** A table has no hash that is none. */
type PrintCells = readonly [period: string | bigint | null, amount: string, source_hash: string | null]

async function parquetPrints(content: Uint8Array): Promise<PrintCells[]> {
  const rows = await parquetRows(content, ['period', 'amount', 'source_hash'])
  return rows.map(({ period, amount, source_hash }) => [period, amount, source_hash])
}

const indexOf = (name: keyof HistoryItem): number => partColumns.findIndex((column) => column.name === name)

/** No cell of a history is quoted. */
function csvPrints(content: Uint8Array): PrintCells[] {
  const [period, amount, hash] = [indexOf('period'), indexOf('amount'), indexOf('source_hash')]
  return csvRows(content)
    .slice(0, -1)
    .map((line) => line.split(','))
    .map((cells) => [cells[period] || null, cells[amount] ?? '', cells[hash] ?? ''])
}
