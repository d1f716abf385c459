import { describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { checkSnapshot, folderFiles, writeTableIndex } from '../src/disk/index.ts'
import type { Leaf } from '../src/leaf.ts'
import {
  findRuns,
  openTable,
  type PageQuery,
  pageOf,
  type SnapshotTable,
  selectJoined,
  selectLeaves,
  TABLE_INDEX,
  type TableFilter,
  TableIndexMissingError,
} from '../src/table/index.ts'
import { inventLeaves, snapshotOf, sorted, type WrittenSnapshot } from './snapshotOf.ts'

async function tableOf({ path }: Pick<WrittenSnapshot, 'path'>): Promise<SnapshotTable> {
  const table = await openTable(folderFiles(path))
  if (table === null) throw new Error('there is no snapshot')
  return table
}

/** Texts whose order in UTF-16 differs from that of their bytes. */
const TEXTS = ['A', 'AB', 'B', 'é', '\u{FF21}', '\u{1F600}'] as const
const PERIODS = ['2026-01', '2026-02', '2026-03', '2026-04'] as const
const COLUMNS = ['price', 'sales'] as const
const IDS = ['area', 'product'] as const

const codes = fc.constantFrom(null, ...TEXTS)

const leaves = fc
  .uniqueArray(
    fc.record({
      column: fc.constantFrom(...COLUMNS),
      area: codes,
      product: codes,
      period: fc.constantFrom(...PERIODS),
    }),
    { minLength: 1, maxLength: 60, selector: (each) => JSON.stringify(each) },
  )
  .map((keys) =>
    sorted(
      keys.map(({ column, area, product, period }, number): Leaf => {
        const facets = { area, product }
        const own = { column, facets, period, value: String(number), unit: null }
        return { route: 'petroleum/test', frequency: 'monthly', ...own }
      }),
    ),
  )

const bound = fc.option(fc.constantFrom('2025', ...PERIODS, '2027'), { nil: null })

const filters: fc.Arbitrary<TableFilter> = fc.record({
  columns: fc.subarray([...COLUMNS], { minLength: 1 }),
  facets: fc.record(
    { area: fc.array(codes, { maxLength: 4 }), product: fc.array(codes, { maxLength: 4 }) },
    { requiredKeys: [] },
  ),
  from: bound,
  to: bound,
})

const pages: fc.Arbitrary<PageQuery> = fc.record({
  sort: fc
    .shuffledSubarray(['period', 'column', ...IDS])
    .chain((names) =>
      fc.tuple(...names.map((name) => fc.record({ name: fc.constant(name), isDescending: fc.boolean() }))),
    )
    .map((keys) =>
      keys.map(({ name, isDescending }) => ({
        by: name === 'period' || name === 'column' ? name : { facet: name },
        isDescending,
      })),
    ) as fc.Arbitrary<PageQuery['sort']>,
  offset: fc.nat(20),
  limit: fc.integer({ min: 1, max: 20 }),
})

const compare = (one: string | null, other: string | null): number =>
  Buffer.compare(Buffer.from(one ?? ''), Buffer.from(other ?? ''))

const isSelected = ({ column, facets, period }: Leaf, filter: TableFilter): boolean =>
  filter.columns.includes(column) &&
  Object.entries(filter.facets).every(([id, wanted]) => wanted.includes(facets[id] ?? null)) &&
  (filter.from === null || compare(period, filter.from) >= 0) &&
  (filter.to === null || compare(period, filter.to) <= 0)

/** What rows are ordered by, with what a sort leaves out. */
function textsOf(leaf: Leaf, { sort }: PageQuery, isJoined: boolean) {
  const text = (name: string) =>
    name === 'period' ? leaf.period : name === 'column' ? leaf.column : (leaf.facets[name] ?? null)
  const named = sort.map(({ by, isDescending }) => ({
    name: typeof by === 'string' ? by : by.facet,
    isDescending,
  }))
  const rest = ['column', ...IDS, 'period'].filter((name) => named.every((each) => each.name !== name))
  return [...named, ...rest.map((name) => ({ name, isDescending: false }))]
    .filter(({ name }) => name !== 'column' || !isJoined)
    .map(({ name, isDescending }) => ({ text: text(name), sign: isDescending ? -1 : 1 }))
}

function inOrder(rows: readonly Leaf[], query: PageQuery, isJoined: boolean): Leaf[] {
  return rows.toSorted((one, other) => {
    const others = textsOf(other, query, isJoined)
    for (const [at, { text, sign }] of textsOf(one, query, isJoined).entries()) {
      const difference = compare(text, others[at]?.text ?? null)
      if (difference !== 0) return sign * difference
    }
    return 0
  })
}

describe('pageOf', () => {
  test('default: random tables are those of a scan of all leaves', async () => {
    await fc.assert(
      fc.asyncProperty(leaves, filters, pages, async (all, filter, query) => {
        using written = await snapshotOf(all)
        const table = await tableOf(written)
        const { total, rows } = pageOf(table.index, selectLeaves(table.index, filter), query)
        const expected = inOrder(
          all.filter((leaf) => isSelected(leaf, filter)),
          query,
          false,
        )
        const read = await table.readLeaves(rows.map(([leaf = -1]) => leaf))
        expect(total).toBe(expected.length)
        expect(rows.map(([leaf = -1]) => read.get(leaf))).toEqual(
          expected.slice(query.offset, query.offset + query.limit),
        )
      }),
      { numRuns: 150 },
    )
  })

  test('behavior: joined rows have a leaf of each column', async () => {
    await fc.assert(
      fc.asyncProperty(leaves, filters, pages, async (all, filter, query) => {
        using written = await snapshotOf(all)
        const { index } = await tableOf(written)
        const { total, rows } = pageOf(index, selectJoined(index, filter), query)
        const selected = inOrder(
          all.filter((leaf) => isSelected(leaf, filter)),
          query,
          filter.columns.length > 1,
        )
        const groups = Map.groupBy(selected, ({ facets, period }) => JSON.stringify([facets, period]))
        const expected = [...groups.values()].map((group) =>
          filter.columns.map((column) => {
            const leaf = group.find((each) => each.column === column)
            return leaf === undefined ? -1 : all.indexOf(leaf)
          }),
        )
        expect(total).toBe(expected.length)
        expect(rows.map((row) => [...row])).toEqual(expected.slice(query.offset, query.offset + query.limit))
      }),
      { numRuns: 150 },
    )
  })

  test('behavior: pages of several bundles, from any offset', async () => {
    const all = inventLeaves(500)
    using written = await snapshotOf(all)
    const { index, readLeaves } = await tableOf(written)
    const selection = selectLeaves(index, { columns: ['value'], facets: {}, from: null, to: null })
    const sort = [{ by: 'period', isDescending: true }] as const
    const { rows } = pageOf(index, selection, { sort, offset: 1_200, limit: 5_000 })
    const found = await readLeaves(rows.map(([leaf = -1]) => leaf))
    expect([...found.values()].map(({ period }) => period)).toEqual(Array(50).fill('2026-01'))
  })
})

/** Changes the head of an index, and keeps its numbers. */
function editHead(change: (head: Record<string, unknown>) => object) {
  return (file: string): void => {
    const bytes = readFileSync(file)
    const length = bytes.readUInt32LE(0)
    const head = Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString('utf8', 4, 4 + length)))))
    const start = Buffer.alloc(4)
    start.writeUInt32LE(head.length)
    const padding = Buffer.alloc((4 - (head.length % 4)) % 4)
    const numbers = bytes.subarray(4 + Math.ceil(length / 4) * 4)
    writeFileSync(file, Buffer.concat([start, head, padding, numbers]))
  }
}

/** Changes the byte at a place counted from the end. Before the codes of periods come those of facets. */
const editEnd =
  (fromEnd: number, to: number) =>
  (file: string): void => {
    const bytes = readFileSync(file)
    bytes[bytes.length - fromEnd] = to
    writeFileSync(file, bytes)
  }

const faults: [string, (file: string) => void, string][] = [
  ['empty', (file) => writeFileSync(file, ''), 'is cut or no index'],
  ['random', (file) => writeFileSync(file, Buffer.alloc(999, 7)), 'is cut or no index'],
  ['of another root', editHead((head) => ({ ...head, root: 'a'.repeat(64) })), 'is not of the root'],
  ['of another size', editHead((head) => ({ ...head, size: 9 })), 'is not of the root'],
  ['of a newer version', editHead((head) => ({ ...head, version: 2 })), 'is no index of tables that this'],
  ['of other columns', editHead((head) => ({ ...head, columns: ['x'] })), 'has other columns or facets'],
  ['of other facets', editHead((head) => ({ ...head, facets: [] })), 'has other columns or facets'],
  ['without series', editHead((head) => ({ ...head, series: 0 })), 'has no number of series'],
  ['of other series', editHead((head) => ({ ...head, series: 12 })), 'bytes, not'],
  [
    'with texts that are not sorted',
    editHead((head) => ({ ...head, periods: ['2026-02', '2026-01', '2026-03', '2026-04'] })),
    'malformed or not sorted',
  ],
  ['cut', (file) => truncateSync(file, readFileSync(file).length - 4), 'bytes, not'],
  ['with a code out of range', editEnd(3, 200), 'has a code that is in no list'],
  ['with periods that do not ascend', editEnd(4, 3), 'has periods that do not ascend'],
]

describe('openTable', () => {
  test('default: null without a snapshot', async () => {
    using written = await snapshotOf(inventLeaves(1))
    expect(await openTable(folderFiles(join(written.path, 'x')))).toBeNull()
  })

  // Of 11 series, the last has three periods. Their codes end the file, with two bytes of padding.
  test.each(faults)('error: an index that is %s', async (_, breakIt, message) => {
    using written = await snapshotOf(inventLeaves(11))
    breakIt(join(written.path, TABLE_INDEX))
    const failure = openTable(folderFiles(written.path)).catch(({ message }) => message)
    expect(await failure).toStartWith('table-index: ')
    expect(await failure).toContain(message)
    expect(await failure).toEndWith('`wattfeed datasets check <folder> --index` writes it again')
  })

  test('error: no index; it says what writes it', async () => {
    using written = await snapshotOf(inventLeaves(1))
    rmSync(join(written.path, TABLE_INDEX))
    const failure: unknown = await openTable(folderFiles(written.path)).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TableIndexMissingError)
    expect(String(failure)).toEndWith(
      'has no table-index, as those of older versions; `wattfeed datasets check <folder> --index` writes it',
    )
  })

  test('error: an index that is well-formed, but names another code for a leaf', async () => {
    using written = await snapshotOf(inventLeaves(11))
    const rename = editHead((head) => ({ ...head, periods: ['2026-01', '2026-02', '2026-03', '2026-05'] }))
    rename(join(written.path, TABLE_INDEX))
    const { readLeaves, index } = await tableOf(written)
    const at = index.periodOf.indexOf(3)
    expect((await readLeaves([0])).size).toBe(1)
    expect(readLeaves([0, at])).rejects.toThrow(`table-index: does not follow from leaf ${at}`)
    expect(checkSnapshot(folderFiles(written.path))).rejects.toThrow(
      'table-index: does not follow from the leaves',
    )
    await writeTableIndex(written.path)
    await checkSnapshot(folderFiles(written.path))
    expect((await (await tableOf(written)).readLeaves([0, at])).size).toBe(2)
  })

  test('error: no byte of an index that changes gives another row', async () => {
    const all = inventLeaves(11)
    using written = await snapshotOf(all)
    const file = join(written.path, TABLE_INDEX)
    const whole = readFileSync(file)
    const everything = Array.from(all, (_, at) => at)
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 1
      writeFileSync(file, changed)
      const read = tableOf(written).then(({ readLeaves }) => readLeaves(everything))
      const found = await read.catch(({ message }: Error) => message)
      if (typeof found === 'string') expect(found).toStartWith('table-index: ')
      else expect([...found.values()]).toEqual(sorted(all))
    }
  })

  test('error: a leaf, a tile or a root that does not fit the others', async () => {
    for (const [name, message] of [
      ['tile/entries/001', 'leaf 256: '],
      ['tile/0/001', 'tile/0/001: does not lead to the root'],
      ['tile/0/003.p/132', 'tile: the roots of its bundles do not'],
      ['tile/1/000.p/3', 'tile: the roots of its bundles do not'],
    ] as const) {
      using written = await snapshotOf(inventLeaves(360))
      const file = join(written.path, name)
      const bytes = readFileSync(file)
      bytes[40] = (bytes[40] ?? 0) ^ 1
      writeFileSync(file, bytes)
      const read = tableOf(written).then(({ readLeaves }) => readLeaves([256, 0]))
      expect([name, await read.catch((error: Error) => error.message)]).toEqual([
        name,
        expect.stringContaining(message),
      ])
    }
  })

  test('behavior: a tile that changes after it was checked is checked again', async () => {
    using written = await snapshotOf(inventLeaves(360))
    const { readLeaves } = await tableOf(written)
    expect((await readLeaves([256])).size).toBe(1)
    const file = join(written.path, 'tile/0/001')
    const bytes = readFileSync(file)
    bytes[700] = (bytes[700] ?? 0) ^ 1
    writeFileSync(file, bytes)
    expect(readLeaves([256])).rejects.toThrow('tile/0/001: does not lead to the root')
  })
})

describe('writeTableIndex', () => {
  test('default: the index that the snapshot was written with, where an older version wrote none', async () => {
    using written = await snapshotOf(inventLeaves(300))
    const file = join(written.path, TABLE_INDEX)
    const whole = readFileSync(file)
    rmSync(file)
    await checkSnapshot(folderFiles(written.path))
    expect(await writeTableIndex(written.path)).toEqual(written.manifest)
    expect(readFileSync(file).equals(whole)).toBe(true)
  })

  test('error: nothing is written for leaves that are wrong', async () => {
    using written = await snapshotOf(inventLeaves(300))
    rmSync(join(written.path, TABLE_INDEX))
    rmSync(join(written.path, 'tile/entries/001'))
    expect(writeTableIndex(written.path)).rejects.toThrow('tile/entries/001: is missing')
    await checkSnapshot(folderFiles(written.path)).catch(() => {})
    expect(await folderFiles(written.path).read(TABLE_INDEX, 9_999)).toBeNull()
  })
})

describe('findRuns', () => {
  const all = inventLeaves(30)
  const filter = { columns: ['value'], facets: {}, from: null, to: null }
  const P1 = { product: ['P1'] }
  const lists: [string, Partial<TableFilter>, boolean][] = [
    ['a column', {}, true],
    ['a column and the first facet', { facets: P1 }, true],
    ['a series', { facets: { ...P1, series: ['S00001'] } }, true],
    ['a series in some periods', { facets: { ...P1, series: ['S00001'] }, from: '2026-02' }, true],
    ['a code between others', { facets: { product: ['P11'] } }, true],
    ['a code before all others', { facets: { product: [null] } }, true],
    ['a code after all others', { facets: { product: ['Q'] } }, true],
    ['a column between others', { columns: ['w'] }, true],
    ['several series', { facets: { product: ['P1', 'P2', 'P3'], series: ['S00001', 'S00002', null] } }, true],
    ['the same series twice', { columns: ['value', 'value'], facets: { ...P1, series: ['S00001'] } }, true],
    ['no series', { facets: { product: [], series: ['S00001'] } }, true],
    ['another facet than the first', { facets: { series: ['S00001'] } }, false],
    ['two codes of the first facet', { facets: { product: ['P1', 'P2'] } }, false],
    ['two columns', { columns: ['value', 'w'] }, false],
    ['one run in some periods', { facets: P1, to: '2026-02' }, false],
  ]
  test.each(lists)('default: %s', async (_, changes, isListed) => {
    using written = await snapshotOf(all)
    const { index } = await tableOf(written)
    const wanted = { ...filter, ...changes }
    const runs = findRuns(index, wanted)
    if (!isListed) return expect(runs).toBeNull()
    const found = runs?.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at))
    const { rows } = pageOf(index, selectLeaves(index, wanted), { sort: [], offset: 0, limit: 999 })
    expect(found?.toSorted((a, b) => a - b)).toEqual(rows.map(([leaf = -1]) => leaf))
  })

  test('behavior: a list has at most 100 series', async () => {
    using written = await snapshotOf(all)
    const { index } = await tableOf(written)
    const series = Array.from({ length: 101 }, (_, at) => `S${at}`)
    const runsOf = (codes: readonly string[]) =>
      findRuns(index, { ...filter, facets: { ...P1, series: codes } })
    expect([runsOf(series.slice(1))?.length, runsOf(series)]).toEqual([100, null])
  })

  test('behavior: the rows of a random table that has runs are theirs', async () => {
    await fc.assert(
      fc.asyncProperty(leaves, filters, async (found, wanted) => {
        using written = await snapshotOf(found)
        const { index } = await tableOf(written)
        const runs = findRuns(index, wanted)
        fc.pre(runs !== null)
        const total = runs?.reduce((sum, { from, to }) => sum + to - from, 0)
        expect(total).toBe(found.filter((leaf) => isSelected(leaf, wanted)).length)
      }),
      { numRuns: 100 },
    )
  })
})
