import { DAY_MS } from '@wattfeed/base'
import type { ColumnSource, SchemaElement, Writer } from 'hyparquet-writer'
import { type Cell, type Column, type ColumnType, cellOf, type Row } from './column.ts'

/** @see https://www.iana.org/assignments/media-types/application/vnd.apache.parquet */
export const PARQUET_TYPE = 'application/vnd.apache.parquet'

/** Writes a Parquet file in parts, with at most one row group in memory. */
export interface ParquetTable<Name extends string> {
  /** Writes the rows as one row group. Readers work best with 10,000 to 100,000 rows. */
  write(rows: readonly Row<Name>[]): Promise<void>
  /** Writes the footer. */
  finish(): Promise<void>
}

const schemaTypes: Record<ColumnType, Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>> = {
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  digits: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  figure: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  // Some readers only support the logical type, some only the older converted type.
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  hash: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
}

/**
 * Creates a Parquet table of the columns, compressed with Snappy. Loads the library, which few programs need, with the first one.
 *
 * @param write - receives the parts of the file in order. The next row group waits for its promise.
 */
export async function createParquet<Name extends string>(
  columns: readonly Column<Name>[],
  write: (part: Uint8Array<ArrayBuffer>) => unknown,
): Promise<ParquetTable<Name>> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const bytes = new ByteWriter()
  async function flush(): Promise<void> {
    const part = bytes.getBytes().slice()
    bytes.index = 0
    await write(part)
  }
  const writer: Writer = Object.assign(bytes, { flush, finish: flush })
  const parquet = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: 'wattfeed' })
  return {
    write: async (rows) =>
      parquet.write({
        columnData: columns.map((column) => dataOf(column, rows)),
        rowGroupSize: Math.max(1, rows.length),
      }),
    finish: async () => parquet.finish(),
  }
}

/** Formats rows as a Parquet file of one row group. */
export async function formatParquet<Name extends string>(
  columns: readonly Column<Name>[],
  rows: readonly Row<Name>[],
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const table = await createParquet(columns, (part) => parts.push(part))
  await table.write(rows)
  await table.finish()
  return new Uint8Array(Bun.concatArrayBuffers(parts))
}

const schemaOf = (columns: readonly Column[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(
    ({ name, type }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...schemaTypes[type] }),
  ),
]

function dataOf<Name extends string>(column: Column<Name>, rows: readonly Row<Name>[]): ColumnSource {
  const convert = converters[column.type]
  const data = rows.map((row) => {
    const cell = cellOf(column, row[column.name])
    return cell === null ? null : convert(cell)
  })
  return { name: column.name, data }
}

const converters: Record<ColumnType, (cell: Exclude<Cell, null>) => Cell> = {
  integer: BigInt,
  number: Number,
  digits: String,
  figure: String,
  time: BigInt,
  date: (day) => Date.parse(String(day)) / DAY_MS,
  hash: String,
  text: String,
}
