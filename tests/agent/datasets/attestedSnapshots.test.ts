import { describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openArchived } from '@wattfeed/dataset/archive'
import { folderFiles } from '@wattfeed/dataset/disk'
import type { KeeperOptions } from '../../../src/agent/datasets/datasetKeeper.ts'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import { spotRow, spotRows } from './datasetApi.ts'
import { askAgain, createKeeperBench, never } from './keeperBench.ts'

const rows = spotRows([20, 19, 18], ['A', 'B'])
const MAX_BYTES = 2 ** 26

/** A keeper that keeps two snapshots and two differences, unless the test says otherwise. Each value of EIA is another snapshot. */
function createBench({ first = 0, ...options }: Partial<KeeperOptions> & { first?: number } = {}) {
  let [now, value] = [1_795_000_000_000 + first * 1_000, first]
  const bench = createKeeperBench(rows, { keep: 2, archived: 2, now: () => now, ...options })
  const { folder = dirname(bench.out) } = options
  const out = join(folder, basename(bench.out))
  const change = () => {
    value += 1
    now += 1_000
    bench.api.rows = rows.with(1, spotRow('2026-11-20', 'B', String(value)))
  }
  return {
    ...bench,
    ...{ folder, out },
    /** Lets EIA have another value. */
    skip: change,
    /** Takes another snapshot, an hour after the last one unless the test says otherwise. */
    take(onChain: string | null = null, pauseMs = 3_600_000): Promise<string> {
      now += pauseMs
      change()
      return bench.take(onChain)
    },
    /** Adopts another one. */
    async adopt(root: string): Promise<string> {
      change()
      const adopted = await askAgain(bench, root, rows)
      return adopted?.manifest.root ?? ''
    },
    /** Which of some roots are in the folder, and which in the archive as a whole. */
    async kept(roots: readonly string[]) {
      const there = readdirSync(out)
      const archived: boolean[] = []
      for (const root of roots)
        archived.push((await openArchived(folderFiles(out), root, MAX_BYTES)) !== null)
      return roots.map((root, at) => (there.includes(root) ? 'folder' : archived[at] ? 'archive' : 'gone'))
    },
    [Symbol.dispose]: () => bench[Symbol.dispose](),
  }
}

describe('snapshots that are never attested', () => {
  test('default: they take no place of those that are', async () => {
    using bench = createBench()
    const attested: string[] = []
    for (let release = 0; release < 5; release++) {
      let root = await bench.take(attested.at(-1) ?? null)
      for (let round = 0; round < 3; round++) root = await bench.adopt(root)
      attested.push(root)
    }
    const held = await bench.take(attested.at(-1))
    expect(await bench.kept(attested)).toEqual(['gone', 'gone', 'archive', 'archive', 'folder'])
    expect(await bench.kept([held])).toEqual(['folder'])
  })

  test('behavior: they stay only while the chain may get them, and are not archived', async () => {
    using bench = createBench({ keep: 100, archived: null })
    const roots = [await bench.take()]
    for (let round = 0; round < 3; round++) roots.push(await bench.adopt(roots.at(-1) ?? ''))
    const held = roots.at(-1) ?? ''
    const taken = await bench.take()
    expect(await bench.kept([...roots, taken])).toEqual(Array(5).fill('folder'))
    const adopted = await bench.adopt(taken)
    // The one that was held before the reading may still be on its way to the chain.
    expect(await bench.kept(roots)).toEqual(['gone', 'gone', 'gone', 'folder'])
    expect(await bench.kept([held, taken, adopted])).toEqual(Array(3).fill('folder'))
    const newest = await bench.take()
    expect(await bench.kept([held, taken, adopted, newest])).toEqual(['gone', 'folder', 'folder', 'folder'])
  })

  test('behavior: one that was signed before a reading stays in another one soon after it', async () => {
    using bench = createBench({ keep: 2, archived: null })
    const { keeper, feed } = bench
    const first = await bench.take()
    keeper.noteAttested(feed, first)
    const signed = await bench.take(first)
    await bench.take(first)
    await bench.take(first, 50_000)
    // The transaction was executed meanwhile.
    keeper.noteAttested(feed, signed)
    expect(await bench.kept([signed])).toEqual(['folder'])
    for (const _ of [1, 2, 3]) await bench.take(signed)
    expect(await bench.kept([first, signed])).toEqual(['archive', 'folder'])
  })

  test('behavior: an agent alone whose snapshots are refused keeps those that were attested', async () => {
    using bench = createBench({ keep: 3, archived: 0 })
    const attested = [await bench.take()]
    attested.push(await bench.take(attested[0]))
    const refused: string[] = []
    for (let poll = 0; poll < 4; poll++) refused.push(await bench.take(attested[1]))
    expect(await bench.kept(attested)).toEqual(['folder', 'folder'])
    expect(await bench.kept(refused)).toEqual(['gone', 'gone', 'folder', 'folder'])
  })

  test('behavior: one that was attested while others were adopted counts, and stays while it is the newest', async () => {
    using bench = createBench({ archived: 0 })
    const { keeper, feed } = bench
    const first = await bench.take()
    keeper.noteAttested(feed, first)
    let held = first
    const adopted: string[] = []
    for (let round = 0; round < 9; round++) {
      held = await bench.adopt(held)
      adopted.push(held)
    }
    // Seven stay that were written before the newest.
    expect(await bench.kept([first, ...adopted.slice(0, 2)])).toEqual(['folder', 'gone', 'folder'])
    keeper.noteAttested(feed, held)
    const taken = await bench.take(held)
    await bench.take(held)
    expect(await bench.kept([first, held, taken])).toEqual(['gone', 'folder', 'folder'])
  })

  test('behavior: one that is attested while the dataset is read counts', async () => {
    const gate = Promise.withResolvers<void>()
    let isSlow = false
    using bench = createBench({
      archived: 0,
      keep: 3,
      async takeSnapshot(options) {
        if (isSlow) await gate.promise
        return takeSnapshot(options)
      },
    })
    const first = await bench.take()
    await bench.take()
    isSlow = true
    const taking = bench.take()
    // It was attested while this member was reading, which it learns now.
    bench.keeper.noteAttested(bench.feed, first)
    bench.keeper.noteAttested(bench.feed, 'ab'.repeat(32))
    gate.resolve()
    await taking
    expect(await bench.kept([first])).toEqual(['folder'])
  })

  test('behavior: those that were there before the agent started count: they may have been attested meanwhile', async () => {
    using before = createBench({ keep: 4 })
    const roots = [await before.take(), await before.take()]
    using bench = createBench({ keep: 4, folder: before.folder })
    // The first of them is taken again.
    const others = [await bench.take()]
    expect(others).toEqual(roots.slice(0, 1))
    bench.skip()
    for (let poll = 0; poll < 3; poll++) others.push(await bench.take())
    expect(await bench.kept(roots)).toEqual(['folder', 'folder'])
    expect(await bench.kept(others)).toEqual(['folder', 'gone', 'folder', 'folder'])
  })

  test('behavior: one that somebody has put back counts', async () => {
    using bench = createBench({ keep: 3 })
    const root = await bench.take()
    const folder = join(bench.out, root)
    cpSync(folder, join(bench.out, 'copy'), { recursive: true })
    await bench.take()
    await bench.take()
    expect(await bench.kept([root])).toEqual(['gone'])
    renameSync(join(bench.out, 'copy'), folder)
    await bench.take()
    expect(await bench.kept([root])).toEqual(['folder'])
  })

  test('behavior: what was fetched counts, although the chain has a newer root by then', async () => {
    using bench = createBench({ keep: 3 })
    using other = createBench({ first: 100 })
    const { keeper, feed } = bench
    const attested = await other.take()
    const side = await other.keeper.openSide(other.feed, attested)
    if (side === null) throw new Error('there is no such snapshot')
    const base = await bench.take()
    await keeper.fetch(feed, base, side, never)
    await bench.take()
    await bench.take()
    expect(await bench.kept([attested])).toEqual(['folder'])
  })

  test('behavior: one that the archive needs is archived', async () => {
    using bench = createBench({ keep: 1, archived: null })
    const unknown = 'ab'.repeat(32)
    const attested = await bench.take()
    bench.keeper.noteAttested(bench.feed, attested)
    const others: string[] = []
    for (let poll = 0; poll < 5; poll++) others.push(await bench.take(unknown))
    expect(await bench.kept([attested, others[1] ?? ''])).toEqual(['archive', 'archive'])
  })
})
