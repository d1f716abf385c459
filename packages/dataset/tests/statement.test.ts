import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Leaf } from '../src/leaf.ts'
import {
  type AttestedTree,
  checkLeaf,
  checkStatement,
  type Evidence,
  findSeries,
  readSeries,
  type SeriesQuery,
  statements,
} from '../src/statement.ts'
import { inventLeaves, snapshotOf, sorted, type WrittenSnapshot } from './snapshotOf.ts'

/** What evidence proves about a query: the leaf with the value, or null. */
function check(evidence: Evidence, query: SeriesQuery, tree: AttestedTree): Leaf | null {
  const leaves = evidence.leaves.map((leaf) => checkLeaf(leaf, tree))
  return checkStatement({ statement: evidence.statement, leaves }, query, tree)
}

/** Which statements any neighbors of a snapshot can prove about a query. */
async function provable({ snapshot, tree }: WrittenSnapshot, query: SeriesQuery): Promise<string[]> {
  const all = await Promise.all(Array.from({ length: tree.size }, (_, index) => snapshot.prove(index)))
  const pairs = all.flatMap((leaf, index) => [[leaf], [leaf, ...all.slice(index + 1, index + 2)]])
  return statements.filter((statement) =>
    pairs.some((leaves) => {
      try {
        check({ statement, leaves }, query, tree)
        return true
      } catch {
        return false
      }
    }),
  )
}

const seriesOf = ({ route, frequency, column, facets }: Leaf) => ({ route, frequency, column, facets })

const LETTERS = ['a', 'ab', 'b', 'é', 'z'] as const
const letter = fc.constantFrom(...LETTERS)
const anyKey = fc.record({ column: letter, x: fc.option(letter), y: letter, period: letter })
const leafOf = ({
  column,
  x,
  y,
  period,
}: {
  column: string
  x: string | null
  y: string
  period: string
}): Leaf => ({
  ...{ route: 'r', frequency: 'f', column, facets: { x, y }, period },
  ...{ value: '1', unit: null },
})

describe('findSeries and checkStatement', () => {
  test('default: what is found is proven, is right, and nothing false can be proven', async () => {
    const keys = fc.uniqueArray(anyKey, {
      minLength: 1,
      maxLength: 12,
      selector: (key) => JSON.stringify(key),
    })
    await fc.assert(
      fc.asyncProperty(keys, anyKey, fc.boolean(), async (known, asked, isNewest) => {
        const leaves = known.map(leafOf)
        using written = await snapshotOf(leaves)
        const query = { ...seriesOf(leafOf(asked)), period: isNewest ? null : asked.period }
        const ofSeries = sorted(leaves).filter(
          (leaf) => JSON.stringify(seriesOf(leaf)) === JSON.stringify(seriesOf(leafOf(asked))),
        )
        const expected = isNewest ? ofSeries.at(-1) : ofSeries.find(({ period }) => period === asked.period)
        const answer = await readSeries(written.snapshot, query, written.tree)
        const isCovered = known.some(({ column }) => column === asked.column)
        expect([answer.leaf, answer.isCovered]).toEqual([expected ?? null, isCovered])
        if (isCovered) expect(check(answer, query, written.tree)).toEqual(expected ?? null)
        else expect(() => check(answer, query, written.tree)).toThrow('no leaf beside it has the column')
        const whileThere = isNewest ? ['newest'] : ['value']
        const whileAbsent = [
          ...(isNewest || !isCovered ? [] : ['no_period']),
          ...(ofSeries.length === 0 && isCovered ? ['no_series'] : []),
        ]
        expect(await provable(written, query)).toEqual(expected === undefined ? whileAbsent : whileThere)
      }),
      { numRuns: 60 },
    )
  })

  test('behavior: a path has at most 1 kB, and a leaf with it takes few files', async () => {
    using written = await snapshotOf(inventLeaves(1_000))
    const { path } = await written.snapshot.prove(1_234)
    expect(path.length * 32).toBeLessThanOrEqual(1_000)
  })

  // What an absence trusts: a builder that does not sort can hide a series that is there.
  test('behavior: in a tree that is not sorted, an absence can be proven that is false', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((y) => leafOf({ column: 'a', x: null, y, period: 'p' }))
    if (a === undefined || b === undefined || c === undefined) throw new Error('three leaves')
    using written = await snapshotOf([a, c, b], { isSorted: false })
    const query = { ...seriesOf(b), period: 'p' }
    expect(await provable(written, query)).toEqual(['value', 'no_period', 'no_series'])
  })

  test.each([
    ['no leaf', (leaves: Evidence['leaves']) => leaves.slice(0, 0), 'expected one or two leaves'],
    ['three leaves', (leaves: Evidence['leaves']) => [...leaves, ...leaves], 'expected one or two leaves'],
    [
      'leaves that are not neighbors',
      (leaves: Evidence['leaves']) => leaves.toReversed(),
      'are not neighbors',
    ],
  ])('error: %s', async (_, change, rule) => {
    const leaves = inventLeaves(20)
    using written = await snapshotOf(leaves)
    const query = { ...seriesOf(leaves[3] as Leaf), period: null }
    const evidence = await findSeries(written.snapshot, query)
    expect(evidence.leaves).toHaveLength(2)
    const changed = { ...evidence, leaves: change(evidence.leaves) }
    expect(() => check(changed, query, written.tree)).toThrow(rule)
  })

  test('error: an absence of a column, or by other facets, that the snapshot was made without', async () => {
    const one = leafOf({ column: 'b', x: 'a', y: 'a', period: '2026' })
    using written = await snapshotOf([one])
    const query = { ...seriesOf(one), period: '2026' }
    const others = [
      { ...query, column: 'a' },
      { ...query, facets: { x: 'a' } },
      { ...query, facets: { x: 'a', y: 'a', z: null } },
      { ...query, facets: { x: 'a', z: 'a' } },
    ]
    for (const other of others) {
      expect([other, await provable(written, other)]).toEqual([other, []])
      expect(await readSeries(written.snapshot, other, written.tree)).toMatchObject({ isCovered: false })
    }
    expect(await provable(written, { ...query, facets: { x: null, y: 'b' } })).toEqual([
      'no_period',
      'no_series',
    ])
  })

  // No attester writes such a dataset, and both verifiers must judge it alike.
  test('behavior: a leaf with more facets is of another series, which comes within this one', async () => {
    const one = leafOf({ column: 'a', x: 'a', y: 'a', period: '2026' })
    const more = { ...one, facets: { ...one.facets, z: 'a' }, period: '2027' }
    using written = await snapshotOf([one, more])
    const query = seriesOf(one)
    expect(await provable(written, { ...query, period: null })).toEqual([])
    expect(await provable(written, { ...query, period: '2026' })).toEqual(['value'])
    expect(await provable(written, { ...query, period: '2027' })).toEqual(['no_period'])
    expect(await provable(written, { ...seriesOf(more), period: null })).toEqual(['newest'])
  })

  test('error: a size that is not the attested one', async () => {
    const leaves = inventLeaves(20)
    using written = await snapshotOf(leaves)
    const last = await written.snapshot.prove(written.tree.size - 1)
    for (const size of [written.tree.size - 1, written.tree.size * 2])
      expect(() => checkLeaf(last, { ...written.tree, size })).toThrow('its path does not lead to the root')
  })

  test('error: a hash in capitals', async () => {
    using written = await snapshotOf(inventLeaves(2))
    const proven = await written.snapshot.prove(0)
    const path = proven.path.map((hash) => hash.toUpperCase())
    expect(() => checkLeaf({ ...proven, path }, written.tree)).toThrow('not 64 lower-case hex digits')
  })
})
