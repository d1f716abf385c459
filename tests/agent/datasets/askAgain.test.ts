import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { spotRow, spotRows } from './datasetApi.ts'
import { createKeeperBench, filesIn, never } from './keeperBench.ts'
import { keyOf } from './memoryEia.ts'

const rows = spotRows([20, 19, 18], ['A', 'B', 'CC', 'D'])

describe('asking EIA again', () => {
  test('default: the snapshot with what EIA says now is that which is taken of the same rows', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    const later = [spotRow('2026-11-21', 'E'), ...rows.with(1, spotRow('2026-11-20', 'B', '7')).slice(0, -1)]
    bench.api.rows = later
    const keys = [...later.slice(0, 4), ...rows.slice(-1)].map(keyOf)
    const adopted = await bench.keeper.askAgain(bench.feed, base, keys, never)
    expect(bench.api.requests.length).toBe(1)
    using fresh = createKeeperBench(later)
    const root = await fresh.take()
    expect(adopted?.manifest.root).toBe(root)
    expect(filesIn(join(bench.out, root))).toEqual(filesIn(join(fresh.out, root)))
  })
})
