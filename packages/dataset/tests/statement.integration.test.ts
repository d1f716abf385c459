import { expect, test } from 'bun:test'
import type { Leaf } from '../src/leaf.ts'
import { checkLeaf, checkStatement, findSeries, type SeriesQuery, statements } from '../src/statement.ts'
import { inventLeaves, snapshotOf, sorted } from './snapshotOf.ts'

const fail = (index: number): never => {
  throw new RangeError(`no leaf ${index}`)
}

const seriesOf = ({ route, frequency, column, facets }: Leaf) => ({ route, frequency, column, facets })

/** What is true of a leaf of a sorted list: its value, its series' newest value, and what its series lacks. */
function queriesOf(leaf: Leaf, next: Leaf | undefined) {
  const series = seriesOf(leaf)
  const isNewest = next === undefined || JSON.stringify(seriesOf(next)) !== JSON.stringify(series)
  const other = { ...series, facets: { ...leaf.facets, series: `${leaf.facets.series}x` } }
  return {
    value: { ...series, period: leaf.period },
    newest: isNewest ? { ...series, period: null } : null,
    no_period: { ...series, period: `${leaf.period}x` },
    no_series: { ...other, period: null },
  }
}

test('default: every statement that is true of 1,000 keys is proven, and what is false of them cannot be', async () => {
  const leaves = sorted(inventLeaves(1_000))
  using written = await snapshotOf(leaves)
  const { tree } = written
  const all = await Promise.all(leaves.map((_, index) => written.snapshot.prove(index)))
  // The paths are read once.
  const snapshot = { ...written.snapshot, prove: async (index: number) => all[index] ?? fail(index) }
  const checked = all.map((leaf) => checkLeaf(leaf, tree))
  const proofs = { value: 0, newest: 0, no_period: 0, no_series: 0, refused: 0 }

  /** Which statements the leaves around an index prove about a query. */
  const provable = (index: number, query: SeriesQuery) => {
    const around = [index - 1, index, index + 1].filter((at) => checked[at] !== undefined)
    const groups = around.flatMap((at) => [checked.slice(at, at + 1), checked.slice(at, at + 2)])
    return statements.filter((statement) =>
      groups.some((group) => {
        try {
          checkStatement({ statement, leaves: group }, query, tree)
          return true
        } catch {
          proofs.refused += 1
          return false
        }
      }),
    )
  }

  for (const [index, leaf] of leaves.entries()) {
    for (const [statement, query] of Object.entries(queriesOf(leaf, leaves[index + 1]))) {
      if (query === null || (statement !== 'newest' && leaf.period !== '2026-01')) continue
      const found = await findSeries(snapshot, query)
      const group = found.leaves.map((each) => checkLeaf(each, tree))
      const value = checkStatement({ statement: found.statement, leaves: group }, query, tree)
      expect<string>(found.statement).toBe(statement)
      expect(value).toEqual(statement.startsWith('no_') ? null : leaf)
      expect(provable(group[0]?.index ?? -1, query)).toEqual([found.statement])
      proofs[found.statement] += 1
    }
  }
  expect(proofs).toMatchObject({ value: 1000, newest: 1000, no_period: 1000, no_series: 1000 })
})
