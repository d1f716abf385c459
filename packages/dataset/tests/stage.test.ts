import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import fc from 'fast-check'
import { openStage, type StagedRow, writeTree } from '../src/disk/index.ts'
import { MAX_STAGED_BYTES, MAX_STAGED_TEXTS } from '../src/disk/stagedTexts.ts'

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

/** The page with these rows of all. After the first one, the last row of the page before is in front. */
function pageOf(all: readonly StagedRow[], from: number, to: number) {
  const offset = Math.max(0, from - 1)
  return { offset, rows: all.slice(offset, to), total: all.length }
}

/** The root of rows that arrive on pages of some length. */
async function rootOf(arriving: readonly StagedRow[], pageLength: number): Promise<string> {
  using folder = createFolder('in memory')
  using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
  for (let at = 0; at < arriving.length; at += pageLength)
    expect(stage.add(pageOf(arriving, at, at + pageLength), 1)).toBe(true)
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
    const page = pageOf(rows, 0, 4)
    {
      using stage = openStage(path, plan)
      expect(stage.progress()).toEqual({ pages: 0, rows: 0, total: null, startedAt: null })
      stage.add(page, 5)
      stage.add(pageOf(rows, 4, 6), 7)
    }
    {
      using stage = openStage(path, plan)
      expect(stage.progress()).toEqual({ pages: 2, rows: 6, total: 16, startedAt: 5 })
      expect(stage.offsets()).toEqual([0, 3])
      expect([...stage.leaves()]).toHaveLength(12)
    }
    using stage = openStage(path, { ...plan, columns: ['price'] })
    expect([stage.progress().pages, [...stage.leaves()], stage.offsets()]).toEqual([0, [], []])
  })

  test('behavior: it knows each of its pages', () => {
    using folder = createFolder('in memory')
    using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
    const [page, next] = [pageOf(rows, 0, 4), pageOf(rows, 4, 6)]
    expect(stage.isSame(page)).toBe(false)
    for (const each of [page, next]) stage.add(each, 1)
    expect([page, next].map(stage.isSame)).toEqual([true, true])
    const changed = rows.with(4, rowOf('2026', 'AB', 'x', '2'))
    const others = [{ ...page, total: 17 }, pageOf(changed, 4, 6), { ...next, offset: 0 }, pageOf(rows, 4, 5)]
    expect(others.map(stage.isSame)).toEqual([false, false, false, false])
  })

  test('behavior: a file of the version before is read again', () => {
    using folder = createFolder('in memory')
    const path = join(folder.path, 'stage.sqlite')
    {
      using older = new Database(path)
      older.run('PRAGMA application_id = 2003199091; PRAGMA user_version = 1')
      older.run('CREATE TABLE stage (plan TEXT NOT NULL, first TEXT)')
      older.run('CREATE TABLE leaves (key BLOB PRIMARY KEY, value TEXT)')
      older.run('INSERT INTO stage VALUES (?, ?)', [JSON.stringify(plan), ''])
    }
    using stage = openStage(path, plan)
    expect([stage.progress().rows, stage.add(pageOf(rows, 0, 4), 1)]).toEqual([0, true])
  })

  describe('what rows say beside their leaves', () => {
    /** A page of `rows`, whose other members have these texts. */
    const saying = (from: number, to: number, texts: Record<string, (string | null)[]>) => ({
      ...pageOf(rows, from, to),
      members: ['period', ...Object.keys(texts)],
      others: Object.entries(texts).map(([member, each]) => ({ member, texts: each })),
    })

    test('default: the text of each member by the value of each facet, which may determine it', () => {
      using folder = createFolder('in memory')
      using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
      // The areas none, none, A and A; the ranks x, y, x and y.
      const texts = { areaName: ['none', 'none', 'Alaska', 'Alaska'], other: ['1', '2', '3', '3'] }
      stage.add(saying(0, 4, { ...texts, nothing: [null, null, null, null] }), 1)
      expect(stage.members()).toEqual(['period', 'areaName', 'other', 'nothing'])
      const of = (member: string, facet: string) => {
        const { state, texts: found } = stage.textsOf(member, facet)
        return [state, Object.fromEntries(found)]
      }
      expect(of('areaName', 'area')).toEqual(['determined', { '': 'none', A: 'Alaska' }])
      expect(of('areaName', 'rank')).toEqual(['different', { x: 'none', y: 'none' }])
      expect(of('other', 'area')).toEqual(['different', { '': '1', A: '3' }])
      expect(of('nothing', 'rank')).toEqual(['determined', { x: null, y: null }])
      expect(of('absent', 'rank')).toEqual(['determined', {}])
    })

    test('behavior: they are kept over a restart, until the stage is cleared', () => {
      using folder = createFolder('in memory')
      const path = join(folder.path, 'stage.sqlite')
      {
        using stage = openStage(path, plan)
        const texts = { areaName: [null, null, 'Alaska', 'Alaska'], late: [null, null, null, null] }
        stage.add(saying(0, 4, { ...texts, uneven: ['1', '2', '3', '4'] }), 1)
      }
      using stage = openStage(path, plan)
      // The areas A, AB and AB.
      const page = saying(4, 6, { more: ['x', 'x', 'x'], areaName: ['Alaska', 'both', 'both'] })
      const others = [...page.others, { member: 'late', texts: ['a', 'b', 'c'] }]
      expect(stage.add({ ...page, others, total: 99 }, 1)).toBe(false)
      expect(stage.add({ ...page, others }, 1)).toBe(true)
      expect(stage.members()).toEqual(['period', 'areaName', 'late', 'uneven', 'more'])
      expect(stage.textsOf('areaName', 'area')).toEqual({
        state: 'determined',
        texts: new Map([
          ['', null],
          ['A', 'Alaska'],
          ['AB', 'both'],
        ]),
      })
      // A text is better than none.
      expect(stage.textsOf('late', 'area')).toEqual({
        state: 'different',
        texts: new Map([
          ['', null],
          ['A', 'a'],
          ['AB', 'b'],
        ]),
      })
      expect(stage.textsOf('uneven', 'area')).toMatchObject({ state: 'different' })
      // They are no part of what tells whether rows have changed.
      expect(stage.isSame(pageOf(rows, 4, 6))).toBe(true)
      stage.clear()
      expect([stage.members(), stage.textsOf('uneven', 'area')]).toEqual([
        [],
        { state: 'determined', texts: new Map() },
      ])
    })

    test('behavior: a lone surrogate is replaced, so that a restart does not change the text', () => {
      using folder = createFolder('in memory')
      const path = join(folder.path, 'stage.sqlite')
      const expected = { state: 'determined', texts: new Map([['x', 'a\ufffd']]) } as const
      for (const [from, to] of [
        [0, 1],
        [1, 3],
      ] as const) {
        using stage = openStage(path, plan)
        const page = pageOf(
          rows.filter(({ facets }) => facets[1] === 'x'),
          from,
          to,
        )
        const texts = page.rows.map(() => 'a\ud800')
        expect(stage.add({ ...page, others: [{ member: 'odd', texts }] }, 1)).toBe(true)
        expect(stage.textsOf('odd', 'rank')).toEqual(expected)
      }
    })

    test('behavior: a facet with too many values, or texts, determines nothing; others still do', () => {
      using folder = createFolder('in memory')
      const path = join(folder.path, 'stage.sqlite')
      const count = MAX_STAGED_TEXTS + 1
      const many = Array.from({ length: count }, (_, at) => rowOf('2026', `A${at}`, 'x'))
      const page = {
        ...{ offset: 0, rows: many, total: count, members: ['name'] },
        others: [{ member: 'name', texts: many.map(() => 'same') }],
      }
      {
        using stage = openStage(path, plan)
        expect(stage.add(page, 1)).toBe(true)
      }
      using stage = openStage(path, plan)
      expect(stage.textsOf('name', 'area')).toEqual({ state: 'too_many', texts: new Map() })
      expect(stage.textsOf('name', 'rank')).toEqual({
        state: 'determined',
        texts: new Map([['x', 'same']]),
      })
      stage.clear()
      const long = ['x'.repeat(MAX_STAGED_BYTES / 2), 'a', 'a', 'a']
      stage.add(saying(0, 4, { long, name: ['a', 'a', 'b', 'b'] }), 1)
      expect(stage.textsOf('long', 'area').state).toBe('too_many')
      expect(stage.textsOf('name', 'area').state).toBe('determined')
    })
  })

  test('behavior: a lone surrogate stays in values and units', () => {
    using folder = createFolder('in memory')
    using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
    const values = [
      { value: 'a\ud800', unit: '\udfff"' },
      { value: '', unit: null },
    ]
    const page = { offset: 0, rows: [{ period: '2026', facets: ['A', 'x'], values }], total: 1 }
    expect(stage.add(page, 1)).toBe(true)
    expect([...stage.leaves()]).toMatchObject(values)
    expect(stage.isSame({ ...page, rows: [rowOf('2026', 'A', 'x', 'a\ufffd')] })).toBe(false)
  })

  test.each([
    ['the total has changed', { ...pageOf(rows, 2, 4), total: 17 }],
    [
      'a row comes again, not beside its copy',
      pageOf(rows.toSpliced(2, 0, ...rows.slice(0, 1)).slice(0, 16), 2, 4),
    ],
    ['the first row is not the last one', { ...pageOf(rows, 2, 4), rows: rows.slice(2, 4) }],
    ['the first row has changed', { ...pageOf(rows, 2, 4), rows: [rowOf('2026', null, 'y', '2')] }],
    ['no row is left', { ...pageOf(rows, 2, 4), rows: [] }],
    [
      'a row has changed, and is not beside its copy',
      pageOf(rows.with(2, rowOf('2026', null, 'x', '2')), 2, 4),
    ],
  ])('behavior: rows have moved, and the page is not added: %s', (_, page) => {
    using folder = createFolder('in memory')
    using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
    expect(stage.add(pageOf(rows, 0, 2), 1)).toBe(true)
    const before = stage.progress()
    expect(stage.add(page, 1)).toBe(false)
    expect(stage.progress()).toEqual(before)
    expect([...stage.leaves()]).toHaveLength(4)
  })

  const place = 'coal, the row at offset 3 (period "2026"'
  test.each([
    [
      'two different rows have one key',
      rowOf('2026', 'A', 'x', '2'),
      `${place}, area "A", rank "x"): price: EIA has two different rows: "1 $" before it, and "2 $"`,
    ],
    [
      'a facet has a zero character',
      rowOf('2026', 'A\0', 'y'),
      `${place}, area "A\\u0000", rank "y"): "A\\u0000": a part of a key is text that`,
    ],
    [
      'a facet has a lone surrogate',
      rowOf('2026', '\ud800', 'y'),
      `${place}, area "\\ud800", rank "y"): "\\ud800": a part of a key`,
    ],
    [
      'a value is too long',
      rowOf('2026', 'A', 'y', '1'.repeat(4_096)),
      `${place}, area "A", rank "y"): price: its leaf has 4236 bytes, more than 4096`,
    ],
  ])('error: %s: the row is named', (_, row, message) => {
    using folder = createFolder('in memory')
    using stage = openStage(join(folder.path, 'stage.sqlite'), plan)
    const all = [...rows.slice(0, 2), rowOf('2026', 'A', 'x'), row]
    expect(() => stage.add(pageOf(all, 0, 4), 1)).toThrow(message)
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
