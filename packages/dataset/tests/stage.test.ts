import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { createFolder } from '../../../tests/support/folder.ts'
import { openStage, type StagedRow, writeTree } from '../src/disk/index.ts'

const plan = {
  ...{ route: 'coal', frequency: 'annual', columns: ['price', 'sales'], facets: ['area', 'rank'] },
  ...{ periods: null, start: null },
}

const rowOf = (period: string, area: string | null, rank: string, price = '1'): StagedRow => ({
  ...{ period, facets: [area, rank] },
  values: [
    { value: price, unit: '$' },
    { value: null, unit: null },
  ],
})

const rows = ['2026', '2025'].flatMap((period) =>
  [null, 'A', 'AB', 'B'].flatMap((area) => ['x', 'y'].map((rank) => rowOf(period, area, rank))),
)

/** The root of rows that arrive on pages of some length. */
async function rootOf(arriving: readonly StagedRow[], pageLength: number): Promise<string> {
  using folder = createFolder('in memory')
  using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
  for (let at = 0; at < arriving.length; at += pageLength) {
    const page = { rows: arriving.slice(at, at + pageLength), total: arriving.length }
    expect(stage.add(page, 1)).toBe(true)
  }
  const { root, size } = await writeTree(folder.path, stage.leaves())
  expect(size).toBe(2 * rows.length)
  return root
}

describe('openStage', () => {
  test('default: the same rows have the same root, in any order and with rows that are repeated', async () => {
    const root = await rootOf(rows, 100)
    const order = fc.shuffledSubarray(rows, { minLength: rows.length })
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.integer({ min: 1, max: 7 }),
        fc.nat(rows.length - 1),
        async (all, length, at) => {
          const row = all[at]
          const repeated = row === undefined ? all : all.toSpliced(at, 0, row, row)
          expect(await rootOf(repeated, length)).toBe(root)
        },
      ),
      { numRuns: 15 },
    )
  })

  test('behavior: it resumes after its last page, and starts again for another plan', () => {
    using folder = createFolder('in memory')
    const path = join(folder.path, 'stage.sqlite')
    const page = { rows: rows.slice(0, 4), total: 16 }
    {
      using stage = openStage(path, plan)
      expect(stage.progress()).toEqual({ pages: 0, rows: 0, total: null, startedAt: null })
      stage.add(page, 5)
      stage.add({ rows: rows.slice(4, 6), total: 16 }, 7)
    }
    {
      using stage = openStage(path, plan)
      expect(stage.progress()).toEqual({ pages: 2, rows: 6, total: 16, startedAt: 5 })
      expect(stage.isFirst(page)).toBe(true)
      expect(stage.isFirst({ ...page, total: 17 })).toBe(false)
      expect(stage.isFirst({ ...page, rows: page.rows.toReversed() })).toBe(false)
      expect([...stage.leaves()]).toHaveLength(12)
    }
    using stage = openStage(path, { ...plan, columns: ['price'] })
    expect([stage.progress().pages, [...stage.leaves()]]).toEqual([0, []])
  })

  test('behavior: it knows its last row', () => {
    using folder = createFolder('in memory')
    using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
    const [first, second] = [rowOf('2026', 'A', 'x'), rowOf('2026', 'A', 'y')]
    expect(stage.isLast(first)).toBe(false)
    stage.add({ rows: [first, second], total: 4 }, 1)
    stage.add({ rows: [second], total: 4 }, 1)
    const others = [first, rowOf('2026', 'A', 'y', '2'), rowOf('2025', 'A', 'y')]
    expect([second, ...others].map(stage.isLast)).toEqual([true, false, false, false])
  })

  test.each([
    ['the total has changed', { rows: rows.slice(2, 4), total: 17 }],
    ['a row comes again, not beside its copy', { rows: rows.slice(0, 1), total: 16 }],
    ['a row has changed, and is not beside its copy', { rows: [rowOf('2026', null, 'x', '2')], total: 16 }],
  ])('behavior: rows have moved, and the page is not added: %s', (_, page) => {
    using folder = createFolder('in memory')
    using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
    expect(stage.add({ rows: rows.slice(0, 2), total: 16 }, 1)).toBe(true)
    const before = stage.progress()
    expect(stage.add(page, 1)).toBe(false)
    expect(stage.progress()).toEqual(before)
    expect([...stage.leaves()]).toHaveLength(4)
  })

  test('error: two different rows of one key', () => {
    using folder = createFolder('in memory')
    using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
    const page = { rows: [rowOf('2026', 'A', 'x'), rowOf('2026', 'A', 'x', '2')], total: 2 }
    expect(() => stage.add(page, 1)).toThrow(
      'coal, price, 2026, {"area":"A","rank":"x"}: EIA has two different rows: "1 $" and "2 $"',
    )
    expect([...stage.leaves()]).toEqual([])
  })

  test('error: no rows, and a leaf that is too large', async () => {
    using folder = createFolder('in memory')
    expect(writeTree(folder.path, [])).rejects.toThrow('the dataset: has no rows')
    const [leaf] = [
      { ...plan, column: 'price', facets: {}, period: '2026', value: '1'.repeat(4096), unit: null },
    ]
    expect(writeTree(folder.path, [leaf])).rejects.toThrow('leaf 0: has more than 4096 bytes')
  })
})
