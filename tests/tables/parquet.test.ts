import { describe, expect, test } from 'bun:test'
import { parquetMetadata } from 'hyparquet'
import type { Column } from '../../src/tables/column.ts'
import { historyColumns } from '../../src/tables/columns.ts'
import { createParquet, formatParquet } from '../../src/tables/parquet.ts'
import { readParquet } from './readParquet.ts'

const columns = historyColumns('daily')

const HASH = '88450b082ec4df2fdccd3a626c6e489b'

const item = {
  feed_id: 'A',
  unit: '$/bbl',
  index: 0,
  period: 20261120,
  period_start: '2026-11-20',
  period_end: '2026-11-20',
  value: 3.04938,
  amount: 3_049_380n,
  revision: 0,
  source_hash: HASH,
  attester: 'account-hash-00',
  attested_at: 1_795_168_726_426,
}

describe('formatParquet', () => {
  test('default: a row for each item, typed', async () => {
    expect(await readParquet(await formatParquet(columns, [item]))).toEqual([
      {
        ...item,
        index: 0n,
        period: 20261120n,
        period_start: new Date('2026-11-20'),
        period_end: new Date('2026-11-20'),
        amount: '3049380',
        revision: 0n,
        attested_at: new Date(item.attested_at),
      },
    ])
  })

  test('behavior: a value outside of its column type is null', async () => {
    const hostile = {
      ...item,
      period: 2 ** 64,
      period_start: null,
      period_end: null,
      source_hash: '=cmd()',
      amount: 2n ** 512n - 1n,
      attested_at: 2 ** 63,
    }
    expect(await readParquet(await formatParquet(columns, [hostile]))).toMatchObject([
      {
        period: null,
        period_start: null,
        period_end: null,
        source_hash: null,
        amount: String(2n ** 512n - 1n),
        attested_at: null,
      },
    ])
  })

  test('behavior: no rows have a schema', async () => {
    const bytes = await formatParquet(columns, [])
    expect(await readParquet(bytes)).toEqual([])
    expect(parquetMetadata(bytes.buffer).schema.map(({ name }) => name)).toEqual([
      'root',
      ...columns.map(({ name }) => name),
    ])
  })
})

test('behavior: times are in UTC, in both notations', async () => {
  const bytes = await formatParquet(columns, [item])
  expect(parquetMetadata(bytes.buffer).schema.at(-1)).toMatchObject({
    name: 'attested_at',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  })
})

test.each([
  ['daily', '2026-11-20', { converted_type: 'DATE', logical_type: { type: 'DATE' } }],
  ['local-hourly', '2026-11-20T07:00:00Z', { converted_type: 'TIMESTAMP_MILLIS' }],
])('default: periods of a %s feed start at a date, hours at a time', async (frequency, start, type) => {
  const bytes = await formatParquet(historyColumns(frequency), [{ ...item, period_start: start }])
  expect(parquetMetadata(bytes.buffer).schema.find(({ name }) => name === 'period_start')).toMatchObject(type)
  expect(await readParquet(bytes)).toMatchObject([{ period_start: new Date(start) }])
})

describe('createParquet', () => {
  const columns: Column<'index'>[] = [{ name: 'index', type: 'integer', description: '' }]
  const rowsFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, step) => ({ index: first + step }))

  test('default: a row group for each write, handed on before the next', async () => {
    const parts: Uint8Array<ArrayBuffer>[] = []
    const table = await createParquet(columns, async (part) => {
      await Promise.resolve()
      parts.push(part)
    })
    await table.write(rowsFrom(0, 5_000))
    const sizes = parts.map(({ length }) => length)
    expect(sizes).toHaveLength(1)
    await table.write(rowsFrom(5_000, 5_000))
    await table.finish()
    const bytes = new Uint8Array(Bun.concatArrayBuffers(parts))
    expect(parquetMetadata(bytes.buffer).row_groups.map(({ num_rows }) => num_rows)).toEqual([5_000n, 5_000n])
    expect(await readParquet(bytes)).toEqual(
      rowsFrom(0, 10_000).map(({ index }) => ({ index: BigInt(index) })),
    )
  })
})
