import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Side } from '@wattfeed/dataset/compare'
import { spotRow, spotRows } from './datasetApi.ts'
import { createKeeperBench, filesIn, never } from './keeperBench.ts'

const rows = spotRows([20, 19, 18], ['A', 'B', 'CC', 'D'])
const later = [spotRow('2026-11-21', 'A'), ...rows.with(1, spotRow('2026-11-20', 'B', '7')).slice(0, -1)]

type Bench = ReturnType<typeof createKeeperBench>

async function sideOf(bench: Bench, root: string): Promise<Side> {
  const side = await bench.keeper.openSide(bench.feed, root)
  if (side === null) throw new Error('there is no such snapshot')
  return side
}

describe("fetching another member's snapshot", () => {
  test('default: it is written by its difference, without EIA', async () => {
    using bench = createKeeperBench(rows)
    using other = createKeeperBench(later)
    const [base, root] = [await bench.take(), await other.take()]
    await bench.keeper.fetch(bench.feed, base, await sideOf(other, root), never)
    expect(bench.api.requests).toEqual([])
    const [own, theirs] = [filesIn(join(bench.out, root)), filesIn(join(other.out, root))]
    expect(own).toEqual(theirs)
  })
})
