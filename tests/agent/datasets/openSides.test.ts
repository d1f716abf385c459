import { expect, test } from 'bun:test'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST } from '@wattfeed/dataset'
import { spotRow, spotRows } from './datasetApi.ts'
import { createKeeperBench, type KeeperBench } from './keeperBench.ts'

const rows = spotRows([20, 19, 18], ['A', 'B', 'CC', 'D'])

/** Takes snapshots of other values, and returns their roots. */
async function takeSeveral(bench: KeeperBench, count: number): Promise<string[]> {
  const roots: string[] = []
  for (let value = 0; value < count; value++) {
    bench.api.rows = rows.with(0, spotRow('2026-11-20', 'A', String(value)))
    roots.push(await bench.take())
  }
  return roots
}

const open = ({ keeper, feed }: KeeperBench, root = '') => keeper.openSide(feed, root)

test('default: a side has the root and size of the snapshot, and its leaves', async () => {
  using bench = createKeeperBench(rows)
  const root = await bench.take()
  const side = await open(bench, root)
  expect(side).toMatchObject({ root, size: 12, name: `the snapshot ${root}` })
  expect(new TextDecoder().decode(await side?.leavesOf([0]))).toContain('"period":"2026-11-18"')
})

test('behavior: the newest stays open whatever another member asks for, and callers share one', async () => {
  using bench = createKeeperBench(rows)
  const [first, second, newest] = await takeSeveral(bench, 3)
  const [one, same] = await Promise.all([open(bench, newest), open(bench, newest)])
  expect(same).toBe(one)
  const other = await open(bench, first)
  expect(await open(bench, first)).toBe(other)
  await open(bench, second)
  expect(await open(bench, first)).not.toBe(other)
  expect(await open(bench, newest)).toBe(one)
})

test('behavior: one that was the newest stays open, and one that others have asked for is not opened again', async () => {
  using bench = createKeeperBench(rows)
  const [first = ''] = await takeSeveral(bench, 1)
  const one = await open(bench, first)
  const [, second] = await takeSeveral(bench, 2)
  expect(await open(bench, first)).toBe(one)
  expect((await open(bench, second))?.root).toBe(second ?? '')
})

test('behavior: a snapshot that was removed is not there, and is opened again when it is back', async () => {
  using bench = createKeeperBench(rows)
  const root = await bench.take()
  const side = await open(bench, root)
  rmSync(join(bench.out, root), { recursive: true })
  expect(await open(bench, root)).toBeNull()
  expect(await bench.take()).toBe(root)
  const again = await open(bench, root)
  expect([again?.root, again === side]).toEqual([root, false])
})

test.each<[string, (folder: string) => void]>([
  ['no tile', (folder) => rmSync(join(folder, 'tile/0'), { recursive: true })],
  ['a cut manifest', (folder) => writeFileSync(join(folder, MANIFEST), '{')],
])('behavior: a snapshot with %s is not there until it is whole', async (_, spoil) => {
  using bench = createKeeperBench(rows)
  const root = await bench.take()
  spoil(join(bench.out, root))
  expect(await open(bench, root)).toBeNull()
  expect(await bench.take()).toBe(root)
  expect((await open(bench, root))?.root).toBe(root)
})

test('behavior: null for the snapshot of another root', async () => {
  using bench = createKeeperBench(rows)
  const other = 'ab'.repeat(32)
  renameSync(join(bench.out, await bench.take()), join(bench.out, other))
  expect(await open(bench, other)).toBeNull()
})

test.each(['ab'.repeat(32), '../x', '.', ''])('behavior: null for what is no snapshot: %j', async (root) => {
  using bench = createKeeperBench(rows)
  await bench.take()
  expect(await open(bench, root)).toBeNull()
})
