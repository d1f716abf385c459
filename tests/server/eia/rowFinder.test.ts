import { expect, test } from 'bun:test'
import { DAY_MS } from '@wattfeed/base'
import type { Leaf } from '@wattfeed/dataset'
import type { SnapshotTable } from '@wattfeed/dataset/table'
import type { EiaParameters } from '@wattfeed/eia/internal'
import { readEiaQuery } from '../../../src/server/eia/eiaQuery.ts'
import { createRowFinder } from '../../../src/server/eia/rowFinder.ts'

const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** A table of one series with so many days, and how many leaves were read of it. */
function inventTable(
  days: number,
  root = 'ab'.repeat(32),
  textOf = (day: number) => String((day * 7) % days),
) {
  const periods = Array.from({ length: days }, (_, day) => dayText(day))
  const recipe = { columns: ['value'], periods: null, facets: [] }
  const manifest = {
    ...{ ...recipe, route: 'steo', frequency: 'daily', size: days, root },
    ...{ oldestPeriod: null, newestPeriod: '', retrievedAt: 1 },
  }
  const read = { leaves: 0 }
  const table: SnapshotTable = {
    manifest,
    index: {
      ...{ root, size: days, columns: ['value'], facets: [], periods, facetsOf: [] },
      ...{
        starts: Uint32Array.of(0, days),
        columnOf: Uint8Array.of(0),
        periodOf: Uint32Array.from(periods.keys()),
      },
    },
    bytes: 1,
    async readLeaves(indices) {
      const found = new Map<number, Leaf>()
      for (const at of indices) {
        read.leaves += 1
        const key = {
          route: 'steo',
          frequency: 'daily',
          column: 'value',
          facets: {},
          period: periods[at] ?? '',
        }
        found.set(at, { ...key, value: textOf(at), unit: null })
      }
      return found
    },
  }
  return { table, read }
}

const SORT = [{ column: 'value' }]

/** Finds a page of two rows, or with other parameters. */
const find = (
  findRows: ReturnType<typeof createRowFinder>,
  table: SnapshotTable,
  parameters: EiaParameters = {},
) =>
  findRows(table, ['value'], readEiaQuery({ data: ['value'], sort: SORT, length: '2', ...parameters }, table))

const leavesIn = ({ rows }: { rows: readonly Int32Array[] }) => rows.map(([leaf]) => leaf)

test('behavior: an order by values is made once, for all of its pages', async () => {
  const findRows = createRowFinder()
  const { table, read } = inventTable(10)
  const page = async (parameters: EiaParameters) => leavesIn(await find(findRows, table, parameters))
  expect(await page({})).toEqual([0, 3])
  expect(await page({ offset: '8', length: '5' })).toEqual([4, 7])
  expect([await page({ offset: '10' }), read.leaves]).toEqual([[], 10])
  // Others are orders of their own.
  const descending = [{ column: 'value', direction: 'desc' }]
  expect([await page({ sort: descending }), read.leaves]).toEqual([[7, 4], 20])
  expect([await page({ start: dayText(5) }), read.leaves]).toEqual([[6, 9], 25])
  const other = inventTable(10, 'cd'.repeat(32), (day) => String(-day))
  expect(leavesIn(await find(findRows, other.table))).toEqual([9, 8])
})

test('behavior: the memory of kept orders includes their requests, whose lists of codes may be long', async () => {
  const findRows = createRowFinder()
  const { table, read } = inventTable(1)
  const sorted = readEiaQuery({ data: ['value'], sort: SORT }, table)
  for (let at = 0; at < 40; at++) {
    const codes = [`${at}`.padEnd(1_000_000)]
    await findRows(table, ['value'], { ...sorted, facets: { product: codes } })
  }
  expect(read.leaves).toBe(40)
  await findRows(table, ['value'], { ...sorted, facets: { product: ['0'.padEnd(1_000_000)] } })
  expect(read.leaves).toBe(41)
})

test('behavior: numbers too large for a double are equal, so that the next of an order decides', async () => {
  const { table } = inventTable(3, 'ab'.repeat(32), () => '1e999')
  const sort = [...SORT, { column: 'period', direction: 'asc' }]
  expect(leavesIn(await find(createRowFinder(), table, { sort, length: '3' }))).toEqual([0, 1, 2])
})

test('error: an order by the values of more than 100,000 rows says what to do, before any is read', async () => {
  const findRows = createRowFinder()
  const { table, read } = inventTable(100_001)
  await expect(find(findRows, table)).rejects.toThrow(
    "100001 rows match, and at most 100000 are sorted by 'value'. Constrain the request with facets, start or end, or sort by period and facets.",
  )
  expect(read.leaves).toBe(0)
  expect((await find(findRows, table, { start: dayText(1) })).total).toBe(100_000)
})
