import { expect, test } from 'bun:test'
import { decodeHex } from '@wattfeed/base'
import {
  checkLeaf,
  checkStatement,
  type Leaf,
  readSeries,
  type SeriesQuery,
  statements,
} from '@wattfeed/dataset'
import { createFolder } from '@wattfeed/testing/folder'
import { writeSnapshot } from 'wattfeed/testing/datasetSnapshot'

/** Every third period of every second series, so that each has neighbors that are not there. */
function inventLeaves(count: number): Leaf[] {
  return Array.from({ length: count }, (_, number): Leaf => {
    const { series, month } = placeOf(number)
    return leafAt(2 * series, 3 * month, String(number))
  })
}

/** Four periods a series. */
const placeOf = (number: number) => ({ series: Math.floor(number / 4), month: number % 4 })

const leafAt = (series: number, month: number, value: string | null): Leaf => ({
  ...{ route: 'petroleum/test', frequency: 'monthly', column: 'value', value, unit: null },
  facets: { area: series % 6 === 0 ? null : 'NUS', series: `S${String(series).padStart(4, '0')}` },
  period: `2026-${String(month + 1).padStart(2, '0')}`,
})

test('behavior: for 200 keys, the true statement is proven, and no other by these leaves', async () => {
  using folder = createFolder('in memory')
  const leaves = inventLeaves(600)
  const { snapshot, manifest } = await writeSnapshot(folder.path, leaves)
  const tree = { root: decodeHex(manifest.root, 'root'), size: manifest.size }
  const known = new Set(leaves.map((leaf) => JSON.stringify([leaf.facets, leaf.period])))
  const counts: Record<string, number> = {}
  for (let number = 0; number < 200; number++) {
    const series = number % 300
    const isNewest = number % 5 === 0
    const { column, route, frequency, facets, period } = leafAt(series, (7 * number) % 12, null)
    const query: SeriesQuery = { column, route, frequency, facets, period: isNewest ? null : period }
    const isThere = series % 2 === 0
    const isKnown = known.has(JSON.stringify([facets, period]))
    const expected = isThere ? (isNewest ? 'newest' : isKnown ? 'value' : 'no_period') : 'no_series'
    const answer = await readSeries(snapshot, query, tree)
    expect([number, answer.statement]).toEqual([number, expected])
    counts[expected] = (counts[expected] ?? 0) + 1
    const checked = answer.leaves.map((leaf) => checkLeaf(leaf, tree))
    const provable = statements.filter((statement) => {
      try {
        checkStatement({ statement, leaves: checked }, query, tree)
        return true
      } catch {
        return false
      }
    })
    // A series without a value has none for a period either.
    expect(provable).toEqual(expected === 'no_series' && !isNewest ? ['no_period', 'no_series'] : [expected])
    if (answer.leaf !== null)
      expect([answer.leaf.facets, answer.leaf.period]).toEqual([facets, isNewest ? '2026-10' : period])
  }
  for (const statement of statements) expect(counts[statement]).toBeGreaterThan(18)
})

test('error: a snapshot of another root or size', async () => {
  using folder = createFolder('in memory')
  const leaves = inventLeaves(20)
  const { snapshot, manifest } = await writeSnapshot(folder.path, leaves)
  const query = { ...leafAt(0, 0, null), period: null }
  const root = decodeHex(manifest.root, 'root')
  for (const tree of [
    { root: new Uint8Array(32), size: 20 },
    { root, size: 21 },
  ])
    await expect(readSeries(snapshot, query, tree)).rejects.toThrow('it is of 20 leaves')
})
