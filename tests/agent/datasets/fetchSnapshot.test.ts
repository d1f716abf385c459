import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Leaf } from '@wattfeed/dataset'
import { type Side, sideOfFiles } from '@wattfeed/dataset/compare'
import { folderFiles, writeTree } from '@wattfeed/dataset/disk'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { turn } from '../run/fakes.ts'
import { spotRow, spotRows } from './datasetApi.ts'
import { manifestOf } from './fakes.ts'
import { createKeeperBench, filesIn, type KeeperBench, never } from './keeperBench.ts'
import { leafOf } from './memoryEia.ts'

const rows = spotRows([20, 19, 18], ['A', 'B', 'CC', 'D'])
const later = [spotRow('2026-11-21', 'A'), ...rows.with(1, spotRow('2026-11-20', 'B', '7')).slice(0, -1)]

async function sideOf({ keeper, feed }: KeeperBench, root: string): Promise<Side> {
  const side = await keeper.openSide(feed, root)
  if (side === null) throw new Error('there is no such snapshot')
  return side
}

/** A keeper of a snapshot, and the side of another member's later one. */
async function createBench() {
  using resources = new DisposableStack()
  const bench = resources.use(createKeeperBench(rows))
  const other = resources.use(createKeeperBench(later))
  const base = await bench.take()
  const root = await other.take()
  const side = await sideOf(other, root)
  const opened = resources.move()
  return {
    ...{ bench, base, root, side, other },
    fetch: (from: Side, signal = never) => bench.keeper.fetch(bench.feed, base, from, signal),
    [Symbol.dispose]: () => opened.dispose(),
  }
}

/** A side of leaves that may be anything. */
async function sideOfLeaves(leaves: Iterable<Leaf>): Promise<Side & Disposable> {
  const folder = createFolder('in memory')
  const manifest = manifestOf(await writeTree(folder.path, leaves))
  const side = await sideOfFiles(folderFiles(folder.path), manifest, { name: 'member 2' })
  return { ...side, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** A side that claims to have one leaf more. */
const longer = (side: Side): Side => ({
  ...side,
  size: side.size + 1,
  digestsOf: (level, runs) =>
    side.digestsOf(
      level,
      runs.map(({ first, past }) => ({ first, past: Math.min(past, side.size) })),
    ),
})

describe("fetching another member's snapshot", () => {
  test('default: it is written by its difference, without EIA', async () => {
    using bench = await createBench()
    await bench.fetch(bench.side)
    expect(bench.bench.api.requests).toEqual([])
    const [own, theirs] = [bench.bench, bench.other].map(({ out }) => filesIn(join(out, bench.root)))
    expect(own).toEqual(theirs)
    expect(bench.bench.events.at(-1)).toMatchObject({
      event: 'snapshot_adopted',
      base: bench.base,
      changes: 3,
    })
  })

  test('behavior: one that is here already is not asked for', async () => {
    using bench = await createBench()
    await bench.fetch(bench.side)
    const fail = async () => {
      throw new Error('nothing is asked')
    }
    await bench.fetch({ ...bench.side, digestsOf: fail, leavesOf: fail })
    expect((await errorOf(bench.fetch(longer(bench.side)))).message).toEndWith('end before leaf 13')
  })

  test('error: the base is not here', async () => {
    using bench = await createBench()
    const { keeper, feed } = bench.bench
    const fetching = keeper.fetch(feed, 'ab'.repeat(32), bench.side, never)
    expect((await errorOf(fetching)).message).toBe(
      `the snapshot ${'ab'.repeat(32)}: is not in the folder of its feed`,
    )
  })
})

describe('a hostile side', () => {
  /** The error, after which nothing but the base is there. */
  async function faultOf(change: (side: Side) => Side): Promise<{ code: string; message: string }> {
    using bench = await createBench()
    const { code, message } = await errorOf(bench.fetch(change({ ...bench.side, name: 'member 2' })))
    expect(readdirSync(bench.bench.out)).toEqual([bench.base])
    expect(bench.bench.events.map(({ event }) => event)).not.toContain('snapshot_adopted')
    return { code, message }
  }

  test('error: leaves that lead to another root', async () => {
    const root = 'ab'.repeat(32)
    const { code, message } = await faultOf((side) => ({ ...side, root }))
    expect(code).toBe('dataset')
    expect(message).toMatch(
      new RegExp(`^member 2: its leaves lead to the root [0-9a-f]{64} of 12 values, not to ${root} of 12$`),
    )
  })

  test('error: a size that is not that of its ranges', async () => {
    const { message } = await faultOf(longer)
    expect(message).toBe('member 2: its ranges of level 4: end before leaf 13')
  })

  test('error: other leaves than those that were asked for', async () => {
    const leaves = new TextEncoder().encode('\0\u0003{} ')
    const { message } = await faultOf((side) => ({ ...side, leavesOf: async () => leaves }))
    expect(message).toStartWith('member 2: its leaves: are not the 2')
  })

  test('error: ranges that are cut', async () => {
    const { message } = await faultOf((side) => ({ ...side, digestsOf: async () => new Uint8Array(35) }))
    expect(message).toBe('member 2: its ranges of level 4: are cut: a range has 36 bytes')
  })

  test('error: an answer that never comes ends with an abort', async () => {
    using bench = await createBench()
    const stop = new AbortController()
    const digestsOf = () => {
      stop.abort('stopped')
      return new Promise<never>(() => {})
    }
    const fetching = bench.fetch({ ...bench.side, digestsOf }, stop.signal)
    expect(await fetching.catch((error: unknown) => error)).toBe('stopped')
    expect(bench.bench.roots()).toEqual([bench.base])
  })

  test('error: an abort after its last answer', async () => {
    using bench = await createBench()
    const stop = new AbortController()
    const leavesOf = async (indices: readonly number[]) => {
      const leaves = await bench.side.leavesOf(indices)
      void turn().then(() => stop.abort('stopped'))
      return leaves
    }
    const fetching = bench.fetch({ ...bench.side, leavesOf }, stop.signal)
    expect(await fetching.catch((error: unknown) => error)).toBe('stopped')
    expect(bench.bench.roots()).toEqual([bench.base])
  })

  test.each<[string, Partial<Leaf>]>([
    ['route', { route: 'petroleum/pri/gnd' }],
    ['frequency', { frequency: 'weekly' }],
    ['column', { column: 'price' }],
    ['facet', { facets: { ...leafOf(spotRow('', 'A')).facets, other: 'X' } }],
  ])('error: a leaf of another dataset (%s)', async (_, change) => {
    using bench = await createBench()
    using side = await sideOfLeaves([{ ...leafOf(spotRow('2026-11-20', 'Z')), ...change }])
    expect((await errorOf(bench.fetch(side))).message).toBe('member 2: has a leaf of another dataset')
    expect(bench.bench.roots()).toEqual([bench.base])
  })

  test('error: more than 10,000 leaves that differ', async () => {
    using bench = await createBench()
    function* leaves(): Generator<Leaf> {
      for (let number = 10_000; number < 20_100; number++) yield leafOf(spotRow('2026-11-20', `S${number}`))
    }
    using side = await sideOfLeaves(leaves())
    expect(await errorOf(bench.fetch(side))).toMatchObject({ code: 'difference_too_large', max: 10_000 })
    expect(readdirSync(bench.bench.out)).toEqual([bench.base])
  })
})
