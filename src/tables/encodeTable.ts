import { defineError } from '@wattfeed/base'
import pLimit from 'p-limit'
import { runInWorker } from '../runtime/runInWorker.ts'
import type { Column, Row } from './column.ts'
import { formatCsv } from './csv.ts'
import { formatParquet } from './parquet.ts'

export interface Table<Name extends string = string> {
  format: 'csv' | 'parquet'
  columns: readonly Column<Name>[]
  rows: readonly Row<Name>[]
}

/** A worker failed to encode its table. */
export const TableWorkerError = defineError(
  'TableWorkerError',
  'table_worker',
  (facts: { format: Table['format']; reason: string }) =>
    `the ${facts.format} worker failed: ${facts.reason}`,
)

// Measured on a slow machine: 500 rows take about 15 ms, which is also the time to start a worker.
const MAX_ROWS_HERE = 500

const atOnce = pLimit(2)

/**
 * Encodes a table as a file. A large table is encoded in a worker, at most two at once, so that it does not block other
 * requests.
 *
 * @throws {TableWorkerError} when the worker fails, exits or times out.
 */
export const encodeTable = async <Name extends string>(
  table: Table<Name>,
  timeoutMs = 300_000,
): Promise<Uint8Array<ArrayBuffer>> =>
  table.rows.length <= MAX_ROWS_HERE ? encodeTableHere(table) : atOnce(() => formatInWorker(table, timeoutMs))

/** Encodes a table on the calling thread. */
export const encodeTableHere = async <Name extends string>({
  format,
  columns,
  rows,
}: Table<Name>): Promise<Uint8Array<ArrayBuffer>> =>
  format === 'csv' ? new TextEncoder().encode(formatCsv(columns, rows)) : formatParquet(columns, rows)

function formatInWorker(table: Table, timeoutMs: number): Promise<Uint8Array<ArrayBuffer>> {
  // The URL is also valid in the binary, where all files are in one folder.
  const url = new URL('./tableWorker.ts', import.meta.url)
  const failed = (reason: string) => new TableWorkerError({ format: table.format, reason })
  return runInWorker({ url, input: table, timeoutMs, failed })
}
